import type { Calendar } from "@holdfast/domain";
import type { CronTimes } from "../src/schedule/calendar.ts";
import { drawn } from "./random-crons.ts";
import { clockChanges, walkMinutes } from "./walk-minutes.ts";

const hour = 3_600_000;
const day = 24 * hour;

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface CalendarFigures {
  readonly compared: number;
  readonly instants: number;
  readonly differences: readonly string[];
}

/** The first of sorted numbers that is greater than another; their count if none is. */
function firstAfter(sorted: readonly number[], than: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (sorted[middle]! > than) to = middle;
    else from = middle + 1;
  }
  return from;
}

const said = (instant: number | null | undefined): string =>
  typeof instant === "number" ? new Date(instant).toISOString() : "none";

/** How many instants at most are compared one by one over the whole span of an expression. */
const mostOfWhole = 1_000;
/** Single questions to each calendar, at instants that are drawn. */
const questions = 10;

/**
 * Compares calendars with what comes of going through all minutes: one instant after the other over
 * the whole span where they are few, or else around each change of the clocks; and both questions
 * of a calendar at drawn instants, most of them near such a change.
 */
export function compareCalendars(
  calendarOf: (times: CronTimes) => Calendar,
  zones: readonly string[],
  crons: readonly string[],
  { from, to }: Span,
): CalendarFigures {
  const random = drawn(7);
  const differences: string[] = [];
  let instants = 0;
  for (const zone of zones) {
    const changes = clockChanges(zone, from, to);
    const spans = changes.slice(1).map(({ at }) => ({ from: at - 3 * hour, to: at + 3 * hour }));
    for (const cron of crons) {
      const wanted = walkMinutes(cron, changes, to);
      const calendar = calendarOf({ cron, zone });
      const differs = (what: string, found: number | null, right: number | undefined) =>
        differences.push(`${cron} in ${zone}, ${what}: ${said(found)}, and not ${said(right)}`);
      const follow = (span: Span): void => {
        let index = firstAfter(wanted, span.from);
        for (let at = span.from; at < span.to; index += 1) {
          const found = calendar.after(at);
          const right = wanted[index];
          instants += 1;
          // What comes after the span of the walk is not known.
          if (right === undefined && (found === null || found >= to)) return;
          if (found !== right) {
            differs(`after ${said(at)}`, found, right);
            return;
          }
          at = found!;
        }
      };
      if (wanted.length <= mostOfWhole) follow({ from, to });
      else spans.forEach(follow);
      for (let asked = 0; asked < questions; asked += 1) {
        const change = changes[1 + Math.floor(random() * (changes.length - 1))];
        const near = random() < 0.7 && change !== undefined;
        const at = Math.floor(
          near
            ? change.at + (random() - 0.5) * 6 * hour
            : from + day + random() * (to - from - day),
        );
        const index = firstAfter(wanted, at);
        const [last, next] = [calendar.upTo(at), calendar.after(at)];
        if (index > 0 && last !== wanted[index - 1])
          differs(`up to ${said(at)}`, last, wanted[index - 1]);
        if (index < wanted.length && next !== wanted[index])
          differs(`after ${said(at)}`, next, wanted[index]);
        instants += 2;
      }
    }
  }
  return { compared: zones.length * crons.length, instants, differences };
}
