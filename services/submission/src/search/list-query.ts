import { labelNamePattern, limits } from "@holdfast/contracts";
import {
  type Instant,
  isId,
  openTaskStates,
  parseWhen,
  priorities,
  resolveWhen,
  whenWords,
} from "@holdfast/domain";
import type { PageQuery, TaskCondition, TaskFilter } from "@holdfast/state-store";
import { type Static, Type } from "typebox";
import { pageFields, readCursor, sizeOf } from "../api/pages.ts";
import { invalidRequest } from "../problem.ts";
import { taskStates } from "./task-states.ts";

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
        "open: every state in which a task has not ended; halted: it waits for an operator.",
    }),
  ),
  priority: Type.Optional(Type.Enum([...priorities], { description: "Which steps go first." })),
  key: propertyOf("The business key."),
  faultCode: nameOf("Why the task failed."),
  correlationId: propertyOf("What the notifications of the task carry."),
  awaiting: nameOf("The name of a step that waits for a time now."),
  fingerprint: Type.Optional(
    Type.String({
      maxLength: 16,
      pattern: fingerprintPattern,
      description: "Of a group of failures: 16 hexadecimal digits.",
    }),
  ),
  text: propertyOf("An id, a key, an idempotency key, a correlation id or a fault code."),
  createdFrom: instantOf("Submitted then or later: an instant, or a time from now, such as -1h."),
  createdBefore: instantOf("Submitted before then: an instant, or a time from now, such as -1h."),
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

/** The fields by which tasks are filtered, labels and times besides. */
export const filterFields = [
  "workflow",
  "state",
  "priority",
  "key",
  "faultCode",
  "correlationId",
  "awaiting",
] as const;
const fields: ReadonlySet<string> = new Set(filterFields);

function conditionOf(field: string, value: unknown): readonly TaskCondition[] {
  if (typeof value !== "string") return [];
  if (!fields.has(field) && !field.startsWith("label.")) return [];
  const operand = field === "state" && value === "open" ? openTaskStates : [value];
  return [{ field: field as TaskCondition["field"], operator: "in", operand }];
}

export function readInstant(
  text: string | undefined,
  name: string,
  now: Instant = Date.now(),
): Instant | null {
  if (text === undefined) return null;
  const when = parseWhen(text);
  if (when !== null) return resolveWhen(when, now);
  throw invalid(`/${name}`, whenWords);
}

const invalid = (pointer: string, detail: string) => invalidRequest([{ pointer, detail }]);

/** The page of tasks that a request asks for. */
export const pageOf = ({
  limit,
  after,
}: {
  readonly limit?: number;
  readonly after?: string;
}): PageQuery => ({ after: readCursor(after, isId), most: sizeOf(limit, pages) });
