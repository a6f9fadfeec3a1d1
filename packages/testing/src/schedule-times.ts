import { inputAt, localTime, nextInstants, wholeSchedule } from "@holdfast/contracts";
import type { Json } from "@holdfast/domain";
import type { DefinedSchedule } from "@holdfast/workflow";

export interface ScheduleTimesOptions {
  /** The instant to begin at, with its zone, such as `2026-10-25T00:00:00Z`. */
  readonly from: string | Date;
  /** How many instants, 1 to 1,000; 10 unless said otherwise. */
  readonly count?: number;
}

/** An instant of a schedule, and the task for it. */
export interface ScheduleTime {
  /** The instant, as RFC 3339 writes it: `2026-10-25T00:30:00.000Z`. */
  readonly at: string;
  /** How clocks of the zone show it, with their offset: `2026-10-25T02:30:00+02:00`. */
  readonly local: string;
  /** What its task is submitted with. */
  readonly input: Json;
}

const most = 1_000;

/**
 * The instants of a schedule from one on, with the inputs of their tasks: what it is about to do,
 * without its jitter. Fewer than asked for where no more come. Throws a `RangeError` for what is no
 * instant, or no such count.
 */
export function scheduleTimes(
  { id, definition }: DefinedSchedule,
  { from, count = 10 }: ScheduleTimesOptions,
): readonly ScheduleTime[] {
  const whole = wholeSchedule(definition);
  return nextInstants(whole, before(from), wholeCount(count)).map((instant) => ({
    at: new Date(instant).toISOString(),
    local: localTime(whole.zone, instant),
    input: inputAt(whole, id, instant),
  }));
}

/** The last millisecond before an instant, so that this one is among those after it. */
function before(from: string | Date): number {
  const hasZone = typeof from !== "string" || /(?:Z|[+-]\d\d:?\d\d)$/i.test(from);
  const instant = new Date(from).getTime();
  if (hasZone && !Number.isNaN(instant)) return instant - 1;
  const example = "2026-10-25T00:00:00Z";
  throw new RangeError(
    `from is ${String(from)}: write an instant with its zone, such as ${example}`,
  );
}

function wholeCount(count: number): number {
  if (Number.isInteger(count) && count >= 1 && count <= most) return count;
  throw new RangeError(`count is ${count}: write a whole number from 1 to ${most}`);
}
