import type { Json } from "@holdfast/domain";
import { checkHere, type OpenChecker, type Soon, soon } from "../aside/checker.ts";
import { limits } from "../limits/limits.ts";
import {
  composing,
  conditional,
  dependent,
  escaped,
  isObject,
  type JsonSchema,
  listed,
  named as mapsOfSchemas,
  single,
} from "../schema/schema-keywords.ts";
import type { SchemaError } from "./schema-compiler.ts";

/** A JSON pointer (RFC 6901) to what is wrong in a value, and what is wrong there. */
export interface FieldFault {
  readonly pointer: string;
  readonly detail: string;
}

/**
 * Says in a sentence what is wrong with a request: the first fault, and how many more there are.
 */
export function faultSentence(faults: readonly FieldFault[], whole = "request"): string {
  const [first, ...more] = faults;
  if (first === undefined) return `The ${whole} is not valid.`;
  const place = first.pointer === "" ? `The ${whole}` : first.pointer;
  const others = more.length === 1 ? "1 more fault" : `${more.length} more faults`;
  const rest = more.length === 0 ? "" : `; errors has ${others}`;
  return `${place} ${first.detail.replace(/\.$/, "")}${rest}.`;
}

/**
 * What is wrong with the input of a task, by the schema of its workflow; empty: nothing. At most
 * `limits.refusals` faults; of an input that is large or expensive to check, the first.
 */
export type InputCheck = (input: unknown) => readonly FieldFault[];

/**
 * Opens the check of a workflow's input by its schema (JSON Schema, draft 7 or 2020-12). Fields
 * that it does not name are refused, also where it does not say so: a sender means something by
 * each. Throws where the schema cannot be compiled. `whole` is what has no such field, for people.
 */
export function openInput(
  schema: JsonSchema,
  open: OpenChecker,
  whole = "the workflow's input",
): (input: unknown) => Soon<readonly FieldFault[]> {
  const check = open(closeObjects(schema), { allErrors: true });
  return (input) =>
    soon(check(input), ({ errors }) =>
      errors.slice(0, limits.refusals).map((error) => toFault(error, whole)),
    );
}

/** `openInput` for what does nothing else meanwhile. */
export const compileInput = (schema: JsonSchema, whole?: string): InputCheck =>
  // What is checked here is never a promise.
  openInput(schema, checkHere, whole) as InputCheck;

/**
 * Keywords that say which fields an object has beside those of `properties`, and nothing of these.
 */
const ofOthers = [
  "additionalProperties",
  "minProperties",
  "propertyNames",
  "unevaluatedProperties",
] as const;
const ofThese: ReadonlySet<string> = new Set([...ofOthers, "items", "properties"]);

/**
 * Keywords by which a part of the schema may name fields that another does not: all that hold
 * schemas or values, but for those that are followed here.
 */
const composed: readonly string[] = [
  "$dynamicRef",
  "$recursiveRef",
  "$ref",
  "const",
  "enum",
  ...composing,
  ...conditional,
  ...dependent,
  ...listed,
  ...mapsOfSchemas,
  ...single,
].filter((keyword) => !ofThese.has(keyword));

/**
 * The schema that an input is checked by. It closes what is reached by `properties` and `items`
 * alone, where nothing else says which fields there are: what closing refuses is a field that the
 * schema does not mention.
 */
export function closeObjects(schema: Json): JsonSchema {
  if (!isObject(schema) || composed.some((keyword) => Object.hasOwn(schema, keyword)))
    return schema as JsonSchema;
  const { properties, items, required, ...rest } = schema;
  const isClosed =
    isObject(properties) && !ofOthers.some((keyword) => Object.hasOwn(rest, keyword));
  // A field that is required is mentioned, too.
  const needed = isClosed && Array.isArray(required) ? required : [];
  const names = needed.filter((name: Json): name is string => typeof name === "string");
  return {
    ...rest,
    ...(required === undefined ? {} : { required }),
    ...(isClosed ? { additionalProperties: false } : {}),
    ...(isObject(properties)
      ? {
          properties: {
            ...Object.fromEntries(names.map((name) => [name, true])),
            ...Object.fromEntries(
              Object.entries(properties).map(([name, part]) => [name, closeObjects(part)]),
            ),
          },
        }
      : {}),
    ...(items === undefined ? {} : { items: isObject(items) ? closeObjects(items) : items }),
  };
}

const longest = 1_000;

function toFault(
  { instancePath, keyword, message = "is not valid", params }: SchemaError,
  whole: string,
): FieldFault {
  const { missingProperty, additionalProperty, allowedValues } = params as Record<string, unknown>;
  const at = (key: unknown): string => `${instancePath}/${pointerPart(String(key))}`;
  if (typeof missingProperty === "string" && keyword === "required") {
    return { pointer: at(missingProperty).slice(0, longest), detail: "is missing" };
  }
  if (typeof additionalProperty === "string") {
    return {
      pointer: at(additionalProperty).slice(0, longest),
      detail: `unknown field: ${whole} has no such field`,
    };
  }
  const among = Array.isArray(allowedValues)
    ? `: ${JSON.stringify(allowedValues).slice(0, 200).toWellFormed()}`
    : "";
  return { pointer: instancePath.slice(0, longest), detail: `${message}${among}` };
}

/** A key as it stands in a JSON pointer, cut to what an answer may hold. */
export const pointerPart = (key: string): string => escaped(key.slice(0, 200).toWellFormed());
