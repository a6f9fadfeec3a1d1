import { type Static, Type } from "typebox";
import { invalidRequest } from "../problem.ts";
import { instantOf, nameOf, readInstant } from "../search/list-query.ts";

const workflow = nameOf("The name of a workflow with its version.");
const closed = { additionalProperties: false };

export const StatisticsQuery = Type.Object(
  {
    from: instantOf(
      "When it begins: an instant, or a time from now, such as -1h; a day ago unless it is set.",
    ),
    until: instantOf("When it ends: an instant, or a time from now; now unless it is set."),
    workflow,
  },
  closed,
);
export const FailuresQuery = Type.Object(
  {
    workflow,
    createdFrom: instantOf("Submitted then or later: an instant, or a time from now, such as -1h."),
    createdBefore: instantOf("Submitted before then: an instant, or a time from now, such as -1h."),
  },
  closed,
);

const day = 86_400_000;
/** A time that dates can hold, and no longer ago than a table of months can be. */
const latest = Date.parse("2200-01-01T00:00:00Z");

/** The range that is asked for: the last day, unless it is said. */
export function rangeOf({ from, until }: Static<typeof StatisticsQuery>, now: number) {
  const end = Math.min(readInstant(until, "until", now) ?? now, latest);
  const start = Math.max(0, readInstant(from, "from", now) ?? end - day);
  if (start < end) return { from: start, until: end };
  throw invalidRequest([{ pointer: "/from", detail: "must be before `until`" }]);
}
