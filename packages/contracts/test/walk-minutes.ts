import type { CronTimes } from "../src/schedule/calendar.ts";

/**
 * An independent account of which instants a cron expression says: goes through all minutes of
 * local time one after the other, and knows of a zone what Intl says of it.
 */

const minute = 60_000;
const day = 86_400_000;

/** How many milliseconds the local time of a zone is ahead of UTC, from an instant on. */
export interface ClockChange {
  readonly at: number;
  readonly offset: number;
}

/** The offsets of a zone from one instant to another: the first is in force at `from`. */
export function clockChanges(zone: string, from: number, to: number): readonly ClockChange[] {
  const format = Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  const offsetAt = (at: number): number => {
    const parts = Object.fromEntries(
      format.formatToParts(at).map(({ type, value }) => [type, Number(value)]),
    );
    const { year, month, day: date, hour, minute: past } = parts as Record<string, number>;
    return Date.UTC(year!, month! - 1, date, hour, past) - at;
  };
  const changes = [{ at: from, offset: offsetAt(from) }];
  for (let at = from + 6 * 60 * minute; at < to; at += 6 * 60 * minute) {
    const known = changes.at(-1)!.offset;
    if (offsetAt(at) === known) continue;
    let first = at - 6 * 60 * minute;
    while (offsetAt(first) === known) first += minute;
    changes.push({ at: first, offset: offsetAt(first) });
  }
  return changes;
}

interface Fields {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  /** Whether a date, at its midnight as if it were in UTC, is one of the expression. */
  readonly isDate: (date: Date) => boolean;
  /** Whether its times are said one by one: no `*` and no step. */
  readonly isFixed: boolean;
}

const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const weekdays = "sun mon tue wed thu fri sat".split(" ");

/** The numbers of a part of a list: `*`, `*` with a step, one, a range, a range with a step. */
function numbersOf(part: string, [least, most]: readonly [number, number], names: string[] = []) {
  const [range, step] = part.split("/") as [string, string | undefined];
  const number = (text: string): number => {
    const name = names.indexOf(text.toLowerCase());
    return name < 0 ? Number(text) : name + least;
  };
  const [from, to] = range === "*" ? [least, most] : range.split("-").map(number);
  // Sunday ends a week that it does not begin.
  const last = to === 0 && from! > 0 && names === weekdays ? 7 : (to ?? from!);
  const numbers: number[] = [];
  for (let one = from!; one <= last; one += Number(step ?? 1)) numbers.push(one);
  return numbers;
}

const setOf = (field: string, bounds: readonly [number, number], names?: string[]) =>
  new Set(field.split(",").flatMap((part) => numbersOf(part, bounds, names)));

const nextDay = (date: Date, days: number) => new Date(date.getTime() + days * day);
const isLast = (date: Date, days: number) =>
  nextDay(date, days).getUTCMonth() !== date.getUTCMonth();

function isWeekday(part: string, date: Date): boolean {
  const [, weekday, nth, last] = /^(.+?)(?:#([1-5])|(L))?$/i.exec(part)!;
  const numbers = numbersOf(weekday!, [0, 6], weekdays).map((one) => one % 7);
  return (
    numbers.includes(date.getUTCDay()) &&
    (nth === undefined || Math.ceil(date.getUTCDate() / 7) === Number(nth)) &&
    (last === undefined || isLast(date, 7))
  );
}

function fieldsOf(cron: string): Fields {
  const [minutes, hours, dates, inMonths, onWeekdays] = cron.split(" ") as [
    string,
    string,
    string,
    string,
    string,
  ];
  const monthSet = setOf(inMonths, [1, 12], months);
  const isOfMonth = (date: Date) =>
    dates
      .split(",")
      .some((part) =>
        part.toUpperCase() === "L"
          ? isLast(date, 1)
          : numbersOf(part, [1, 31]).includes(date.getUTCDate()),
      );
  const isOfWeek = (date: Date) => onWeekdays.split(",").some((part) => isWeekday(part, date));
  return {
    minutes: setOf(minutes, [0, 59]),
    hours: setOf(hours, [0, 23]),
    isFixed: !/[*/]/.test(`${minutes} ${hours}`),
    isDate: (date) => {
      if (!monthSet.has(date.getUTCMonth() + 1)) return false;
      if (dates === "*") return isOfWeek(date);
      if (onWeekdays === "*") return isOfMonth(date);
      return isOfMonth(date) || isOfWeek(date);
    },
  };
}

/**
 * The instants of an expression, each once and the earliest first, from the first of `changes` to
 * before `to`.
 */
export function walkMinutes(
  cron: CronTimes["cron"],
  changes: readonly ClockChange[],
  to: number,
): readonly number[] {
  const { minutes, hours, isDate, isFixed } = fieldsOf(cron);
  const times = [...hours]
    .toSorted((a, b) => a - b)
    .flatMap((hour) =>
      [...minutes].toSorted((a, b) => a - b).map((past) => (hour * 60 + past) * minute),
    );
  /** The local times from one to before another that the expression has. */
  function* localTimes(from: number, before: number): Generator<number> {
    for (let date = Math.floor(from / day) * day; date < before; date += day) {
      if (!isDate(new Date(date))) continue;
      for (const time of times) {
        const local = date + time;
        if (local >= from && local < before) yield local;
      }
    }
  }
  const instants: number[] = [];
  /** All local times before it have been, or have been left out. */
  let reached = changes[0]!.at + changes[0]!.offset;
  changes.forEach(({ at, offset }, index) => {
    const end = changes[index + 1]?.at ?? to;
    const begins = at + offset;
    const isLeftOut = isFixed && begins > reached && !localTimes(reached, begins).next().done;
    if (isLeftOut) instants.push(at);
    for (const local of localTimes(isFixed ? Math.max(begins, reached) : begins, end + offset)) {
      const instant = local - offset;
      if (instant !== instants.at(-1)) instants.push(instant);
    }
    reached = Math.max(reached, end + offset);
  });
  return instants;
}
