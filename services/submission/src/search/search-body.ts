import { labelNamePattern, limits } from "@holdfast/contracts";
import { openTaskStates } from "@holdfast/domain";
import type { TaskCondition, TaskFilter } from "@holdfast/state-store";
import { type Static, Type } from "typebox";
import { mustBeStorable } from "../operators/must-be-storable.ts";
import { Problem } from "../problem.ts";
import { filterFields, fingerprintPattern, readInstant, taskPageFields } from "./list-query.ts";

const closed = { additionalProperties: false };
const Text = Type.String({ maxLength: limits.property });
const described = (description: string) => Type.String({ maxLength: limits.property, description });
/** A text, or several operators that must all hold. */
const conditionOn = (description: string) =>
  Type.Union(
    [
      Text,
      Type.Object(
        {
          $eq: Type.Optional(described("Is this.")),
          $in: Type.Optional(
            Type.Array(Text, { minItems: 1, maxItems: 100, description: "Is one of these." }),
          ),
          $like: Type.Optional(described("Looks so, with `*` for any characters.")),
          $exists: Type.Optional(Type.Boolean({ description: "Whether there is one." })),
        },
        { ...closed, minProperties: 1 },
      ),
    ],
    { description },
  );
const Condition = conditionOn("Of a label.");
const when = (description: string) =>
  Type.Optional(Type.String({ maxLength: limits.instant, description }));

/** Which tasks are meant. */
export const SearchFilter = Type.Object(
  {
    workflow: Type.Optional(conditionOn("The workflow, with its version or without.")),
    state: Type.Optional(conditionOn("The state; `open`: all in which a task has not ended.")),
    priority: Type.Optional(conditionOn("Which steps go first.")),
    key: Type.Optional(conditionOn("The business key.")),
    faultCode: Type.Optional(conditionOn("Why the task failed.")),
    correlationId: Type.Optional(conditionOn("What the notifications of the task carry.")),
    awaiting: Type.Optional(conditionOn("The name of a step that waits for a time now.")),
    fingerprint: Type.Optional(
      Type.String({
        maxLength: 16,
        pattern: fingerprintPattern,
        description: "Of a group of failures: 16 hexadecimal digits.",
      }),
    ),
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: limits.property,
        description: "An id, a key, an idempotency key, a correlation id or a fault code.",
      }),
    ),
    createdAt: Type.Optional(
      Type.Object(
        {
          $gte: when("Then or later: an instant, or a time from now, such as -1h."),
          $lt: when("Before then: an instant, or a time from now, such as -1h."),
        },
        { ...closed, description: "When it was submitted." },
      ),
    ),
  },
  {
    additionalProperties: Condition,
    maxProperties: 20,
    description: "Which tasks are meant: all conditions must hold.",
  },
);

/**
 * The body of a search. `$like` has `*` for any characters. All conditions must be true. Labels are
 * named `label.x`; other names are refused with those that there are.
 */
export const SearchBody = Type.Object(
  {
    filter: Type.Optional(SearchFilter),
    sort: Type.Optional(
      Type.Array(
        Type.Object(
          {
            field: Type.Literal("createdAt", { description: "By the time of the submission." }),
            order: Type.Literal("desc", { description: "The newest first." }),
          },
          closed,
        ),
        { maxItems: 1, description: "The one order that there is." },
      ),
    ),
    ...taskPageFields,
  },
  closed,
);
export type SearchBody = Static<typeof SearchBody>;
type Condition = Static<typeof Condition>;

/**
 * A filter in which the workflows still have the names that were asked for. Its texts are such as
 * the store keeps.
 */
export function filterOfBody({ filter = {} }: SearchBody): TaskFilter {
  mustBeStorable(filter, "filter");
  const { createdAt, fingerprint = null, text = null, ...rest } = filter;
  const conditions = Object.entries(rest as Readonly<Record<string, Condition>>);
  return {
    tenant: "default",
    conditions: conditions.flatMap(([name, condition]) => conditionsOn(fieldOf(name), condition)),
    createdFrom: readInstant(createdAt?.$gte, "filter/createdAt/$gte"),
    createdBefore: readInstant(createdAt?.$lt, "filter/createdAt/$lt"),
    fingerprint,
    text,
  };
}

const known: ReadonlySet<string> = new Set(filterFields);
const label = new RegExp(`^label\\.${labelNamePattern.slice(1)}`);

function fieldOf(name: string): TaskCondition["field"] {
  if (known.has(name) || label.test(name)) return name as TaskCondition["field"];
  throw new Problem(
    422,
    "request.invalid",
    `Tasks are filtered by ${filterFields.join(", ")}, createdAt and label.<name>: not by ${name.slice(0, 100)}.`,
    [{ pointer: `/filter/${name.slice(0, 100)}`, detail: "cannot be filtered by" }],
  );
}

function conditionsOn(field: TaskCondition["field"], asked: Condition): readonly TaskCondition[] {
  const { $eq, $in, $like, $exists } = typeof asked === "string" ? { $eq: asked } : asked;
  return [
    ...($eq === undefined ? [] : [oneOf(field, [$eq])]),
    ...($in === undefined ? [] : [oneOf(field, $in)]),
    ...($like === undefined
      ? []
      : [{ field, operator: "like", operand: toPattern($like) } as const]),
    ...($exists === undefined ? [] : [{ field, operator: "exists", operand: $exists } as const]),
  ];
}

const oneOf = (field: TaskCondition["field"], values: readonly string[]): TaskCondition => ({
  field,
  operator: "in",
  operand:
    field === "state"
      ? values.flatMap((value) => (value === "open" ? openTaskStates : [value]))
      : values,
});

/** `*` stands for any characters; what has a meaning in SQL stands for itself. */
const toPattern = (text: string): string =>
  text.replaceAll(/[\\%_]/g, String.raw`\$&`).replaceAll("*", "%");
