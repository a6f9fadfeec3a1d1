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
import type { PageWish, TaskCondition, TaskFilter } from "@holdfast/state-store";
import { type Static, Type } from "typebox";
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
/** The query of a list of tasks. */
export const ListQuery = Type.Object(
  {
    ...filter,
    limit: Type.Optional(
      Type.String({
        maxLength: 3,
        pattern: "^([1-9][0-9]?|[1-4][0-9]{2}|500)$",
        description: "Tasks of a page: from 1 to 500; 20 unless it is set.",
      }),
    ),
    cursor: Type.Optional(
      Type.String({ maxLength: 100, description: "The `next` of the page before." }),
    ),
  },
  options,
);

/** How many tasks a page has at most, unless it is said. */
export const usualLimit = 20;

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

/** Reads where a page begins, by what the page before named as its next, and how long it is. */
export const pageOf = (
  cursor: string | undefined,
  most: number,
  pointer = "/cursor",
): PageWish => ({ after: cursor === undefined ? null : readCursor(cursor, pointer), most });

/** Reads where a page ended. Opaque: a client only sends it back to get the next page. */
function readCursor(cursor: string, pointer: string): string {
  const id = Buffer.from(cursor, "base64url").toString("latin1");
  if (isId(id)) return id;
  throw invalid(pointer, "must be what the page before named as its next");
}

export const cursorOf = (next: string | null): string | null =>
  next === null ? null : Buffer.from(next).toString("base64url");
