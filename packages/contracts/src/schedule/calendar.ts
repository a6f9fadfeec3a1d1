import type { Calendar, Instant } from "@holdfast/domain";
import { Cron } from "croner";
import { zoneClock } from "./zone-clock.ts";

/** When a schedule fires, in words of cron and of the zone that they are meant in. */
export interface CronTimes {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly cron: string;
  /** An IANA name, such as `Europe/Budapest`. */
  readonly zone: string;
}

/**
 * The instants of a cron expression. A time that is said as such, without `*` and without a step in
 * minutes and hours, comes once: where it does not exist, since clocks are set ahead, at the first
 * instant after it, and where it comes twice, at the first. What is repeated goes by the time that
 * passes.
 */
export function calendarOf({ cron, zone }: CronTimes): Calendar {
  const [minutes, hours] = fieldsOf(cron);
  const isRepeated = /[*/]/.test(`${minutes} ${hours}`);
  const times = new Cron(cron, {
    ...(isRepeated ? { timezone: zone } : { utcOffset: 0 }),
    mode: "5-part",
    paused: true,
  });
  const calendar: Calendar = {
    after: (instant) => times.nextRun(new Date(instant))?.getTime() ?? null,
    // What it is asked for ends before its reference, and it knows no parts of a second.
    upTo: (instant) =>
      times.previousRuns(1, new Date(Math.floor(instant / 1_000) * 1_000 + 1_000))[0]?.getTime() ??
      null,
  };
  return isRepeated ? calendar : shownIn(zone, calendar);
}

const fieldsOf = (cron: string): readonly string[] => cron.trim().split(/\s+/);

/** The instants at which the clocks of a zone first show the times of a calendar, or later ones. */
function shownIn(zone: string, times: Calendar): Calendar {
  const clock = zoneClock(zone);
  const firstAt = (time: number | null): Instant | null =>
    time === null ? null : clock.firstAt(time);
  return {
    after: (instant) => firstAt(times.after(clock.latestBy(instant))),
    upTo: (instant) => firstAt(times.upTo(clock.latestBy(instant))),
  };
}

/** What is wrong with the times of a schedule; null: nothing. */
export function faultOfTimes(
  times: CronTimes,
  now: Instant,
): { readonly field: "cron" | "zone"; readonly detail: string } | null {
  if (!isZone(times.zone)) {
    return {
      field: "zone",
      detail: `must be the IANA name of a time zone, such as Europe/Budapest or UTC: ${times.zone} is none`,
    };
  }
  const untaken = untakenIn(times.cron);
  if (untaken !== null) return { field: "cron", detail: `${fiveFields}: ${untaken} is not taken` };
  try {
    return calendarOf(times).after(now) === null
      ? { field: "cron", detail: "never comes: no date is ever all that it asks for" }
      : null;
  } catch (error) {
    return {
      field: "cron",
      detail: `${fiveFields}: ${(error as Error).message.replace(/^CronPattern: /, "")}`,
    };
  }
}

const fiveFields =
  'must be five fields, minute, hour, day of the month, month and day of the week, such as "30 2 * * *"';

/** What programs read in different ways, of an expression; null: it has none of that. */
function untakenIn(cron: string): string | null {
  const sign = /[?+@]/.exec(cron);
  if (sign !== null) return sign[0];
  return /w/i.test(fieldsOf(cron)[2] ?? "") ? "W" : null;
}

/** Offsets such as +02:00 are no names: their rules would not follow those of a place. */
function isZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    return Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** The instants of a schedule after another one, so many. */
export function nextInstants(times: CronTimes, after: Instant, count: number): readonly Instant[] {
  const calendar = calendarOf(times);
  const instants: Instant[] = [];
  for (let at = calendar.after(after); at !== null && instants.length < count; ) {
    instants.push(at);
    at = calendar.after(at);
  }
  return instants;
}

/** The rules of time zones of this process, such as `2026c`: later ones compare as greater. */
export const zoneRules: string = process.versions["tz"] ?? "";
