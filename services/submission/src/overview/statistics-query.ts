import { limits } from "@holdfast/contracts";
import { type Static, Type } from "typebox";
import { Problem } from "../problem.ts";
import { readInstant } from "../search/list-query.ts";

const When = Type.Optional(Type.String({ maxLength: limits.instant }));
const Name = Type.Optional(Type.String({ minLength: 1, maxLength: limits.name }));
const closed = { additionalProperties: false };

export const StatisticsQuery = Type.Object({ from: When, until: When, workflow: Name }, closed);
export const FailuresQuery = Type.Object(
  { workflow: Name, createdFrom: When, createdBefore: When },
  closed,
);

const day = 86_400_000;
/** A time that dates can hold, and no longer ago than a table of months can be. */
const latest = Date.parse("2200-01-01T00:00:00Z");

/** The range that is asked for: the last day, unless it is said. */
export function rangeOf({ from, until }: Static<typeof StatisticsQuery>, now: number) {
  const end = Math.min(readInstant(until, "until") ?? now, latest);
  const start = Math.max(0, readInstant(from, "from") ?? end - day);
  if (start < end) return { from: start, until: end };
  throw new Problem(422, "request.invalid", "The range of time is empty.", [
    { pointer: "/from", detail: "must be before `until`" },
  ]);
}
