import type { Calendar, Instant } from "@holdfast/domain";
import { Cron } from "croner";

/** When a schedule fires, in words of cron and of the zone that they are meant in. */
export interface CronTimes {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly cron: string;
  /** An IANA name, such as `Europe/Budapest`. */
  readonly zone: string;
}

/**
 * The instants of a cron expression. A time that does not exist, since clocks are set ahead, fires
 * once at the first instant after it; a fixed time that comes twice fires once, at the first. What
 * is repeated (with `*` or a step in minutes or hours) goes by the time that passes.
 */
export function calendarOf({ cron, zone }: CronTimes): Calendar {
  const times = new Cron(cron, {
    timezone: zone,
    mode: "5-part",
    fixedTimeRule: "no-wildcard",
    paused: true,
  });
  return {
    after: (instant) => times.nextRun(new Date(instant))?.getTime() ?? null,
    // What it is asked for ends before its reference, and it knows no parts of a second.
    upTo: (instant) =>
      times.previousRuns(1, new Date(Math.floor(instant / 1_000) * 1_000 + 1_000))[0]?.getTime() ??
      null,
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
  try {
    return calendarOf(times).after(now) === null
      ? { field: "cron", detail: "never comes: no date is ever all that it asks for" }
      : null;
  } catch (error) {
    return {
      field: "cron",
      detail: `must be five fields, minute, hour, day of the month, month and day of the week, such as "30 2 * * *": ${(error as Error).message.replace(/^CronPattern: /, "")}`,
    };
  }
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

/** So many instants of a schedule after another one. */
export function nextInstants(times: CronTimes, after: Instant, count: number): readonly Instant[] {
  const calendar = calendarOf(times);
  const instants: Instant[] = [];
  for (let at = calendar.after(after); at !== null && instants.length < count; ) {
    instants.push(at);
    at = calendar.after(at);
  }
  return instants;
}

/** The rules of time zones that this process has, such as `2026c`: later ones compare as greater. */
export const zoneRules: string = process.versions["tz"] ?? "";
