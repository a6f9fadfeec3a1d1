import { limits, Payload } from "@holdfast/contracts";
import type { Json, JsonPatch } from "@holdfast/domain";
import { Type } from "typebox";

const closed = { additionalProperties: false };
const path = Type.String({
  maxLength: limits.words,
  pattern: "^(/([^/~\\u0000-\\u001f\\ud800-\\udfff]|~[01])*)*$",
  description: "Where in the input, as a JSON pointer.",
});
const value = Type.Unsafe<Json>({ ...Payload, description: "Any JSON." });

const op = <Name extends string>(name: Name, description: string) =>
  Type.Literal(name, { description });

/** The changes of an input: JSON Patch (RFC 6902), without the changes that move or copy. */
export const PatchField = Type.Optional(
  Type.Unsafe<JsonPatch>(
    Type.Array(
      Type.Union([
        Type.Object(
          { op: op("add", "Sets the place, or inserts it into a list."), path, value },
          closed,
        ),
        Type.Object(
          { op: op("replace", "Sets the place, which has to be there."), path, value },
          closed,
        ),
        Type.Object(
          { op: op("test", "Changes nothing: the place has to have this value."), path, value },
          closed,
        ),
        Type.Object({ op: op("remove", "Removes the place."), path }, closed),
      ]),
      {
        minItems: 1,
        maxItems: 100,
        description:
          'Changes of the input that the step has, by RFC 6902: add, replace, remove and test, such as `[{ "op": "replace", "path": "/iban", "value": "DE02…" }]`.',
      },
    ),
  ),
);
