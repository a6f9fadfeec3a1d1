import { labelNamePattern, limits } from "@holdfast/contracts";
import { type Instant, isId, priorities } from "@holdfast/domain";
import type { PageWish, TaskCondition, TaskFilter } from "@holdfast/state-store";
import { type Static, Type } from "typebox";
import { pageFields, readCursor, sizeOf } from "../api/pages.ts";
import { invalidRequest } from "../problem.ts";
import { openStates, taskStates } from "./task-states.ts";

export const nameOf = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: limits.name, description }));
export const instantOf = (description: string) =>
  Type.Optional(Type.String({ maxLength: limits.instant, description }));
const propertyOf = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: limits.property, description }));
const labels = {
  [`^label\\.${labelNamePattern.slice(1)}`]: Type.String({ maxLength: limits.name }),
};

export const fingerprintPattern = "^[0-9a-f]{16}$";

const filter = {
  workflow: nameOf("The name of a workflow with its version, or without: all versions."),
  state: Type.Optional(
    Type.Enum(["open", ...taskStates], {
      description:
        "open: every state in which a task has not ended; error: it waits for an operator.",
    }),
  ),
  priority: Type.Optional(Type.Enum([...priorities], { description: "Which steps go first." })),
  key: propertyOf("The business key."),
  faultCode: nameOf("Why the task failed."),
  correlationId: propertyOf("What the notifications of the task carry."),
  fingerprint: Type.Optional(
    Type.String({
      maxLength: 16,
      pattern: fingerprintPattern,
      description: "Of a group of failures: 16 hexadecimal digits.",
    }),
  ),
  text: propertyOf("An id, a key, an idempotency key, a correlation id or a fault code."),
  createdFrom: instantOf("Submitted then or later: an instant as in ISO 8601."),
  createdBefore: instantOf("Submitted before then: an instant as in ISO 8601."),
};
const options = { additionalProperties: false, patternProperties: labels };

/** The query of a count of tasks. A label `x` is asked for as `label.x`. */
export const CountQuery = Type.Object(filter, options);
/** Tasks of a page. */
const pages = { usual: 20, most: 500 };
/** Which page of tasks is asked for. */
export const taskPageFields = pageFields(pages);
/** The query of a list of tasks. */
export const ListQuery = Type.Object({ ...filter, ...taskPageFields }, options);

export type CountQuery = Static<typeof CountQuery>;

/** A filter in which the workflows still have the names that were asked for. */
export const filterOfQuery = (query: CountQuery): TaskFilter => ({
  tenant: "default",
  conditions: Object.entries(query).flatMap(([field, value]) => conditionOf(field, value)),
  createdFrom: readInstant(query.createdFrom, "createdFrom"),
  createdBefore: readInstant(query.createdBefore, "createdBefore"),
  fingerprint: query.fingerprint ?? null,
  text: query.text ?? null,
});

const fields: ReadonlySet<string> = new Set([
  "workflow",
  "state",
  "priority",
  "key",
  "faultCode",
  "correlationId",
]);

function conditionOf(field: string, value: unknown): readonly TaskCondition[] {
  if (typeof value !== "string") return [];
  if (!fields.has(field) && !field.startsWith("label.")) return [];
  const operand = field === "state" && value === "open" ? openStates : [value];
  return [{ field: field as TaskCondition["field"], operator: "in", operand }];
}

export function readInstant(text: string | undefined, name: string): Instant | null {
  if (text === undefined) return null;
  const at = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw invalid(`/${name}`, "must be an instant as in ISO 8601: 2026-11-24T10:00:00Z");
}

const invalid = (pointer: string, detail: string) => invalidRequest([{ pointer, detail }]);

/** The page of tasks that a request asks for. */
export const pageOf = ({
  limit,
  after,
}: {
  readonly limit?: number;
  readonly after?: string;
}): PageWish => ({ after: readCursor(after, isId), most: sizeOf(limit, pages) });
