const weekdays = [
  "Sunday",
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday",
] as const;
const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
] as const;

/** When a cron expression comes, in words; null: it takes more than a few. */
export function cronWords(cron: string): string | null {
  const [minute = "", hour = "", day = "", month = "", weekday = "", ...more] = cron
    .trim()
    .split(/\s+/);
  if (weekday === "" || more.length > 0) return null;
  const times = timesOf(minute, hour);
  const days = daysOf(day, month, weekday);
  if (times === null || days === null) return null;
  if (times.isClock) return `${days === "" ? "each day" : days} at ${times.words}`;
  return days === "" ? times.words : `${times.words}, ${days}`;
}

interface Times {
  readonly words: string;
  /** Whether they are times that a clock shows; else it is said how often they come. */
  readonly isClock: boolean;
}

function timesOf(minute: string, hour: string): Times | null {
  const often = oftenOf(minute, hour);
  if (often !== null) return { words: often, isClock: false };
  const [at] = numbersOf(minute, 59) ?? [];
  const hours = numbersOf(hour, 23);
  if (at === undefined || /\D/.test(minute) || hours === null) return null;
  return { words: listed(hours.map((one) => `${two(one)}:${two(at)}`)), isClock: true };
}

/** How often what is repeated comes; null: it is not said so, or not at even intervals. */
function oftenOf(minute: string, hour: string): string | null {
  const minutes = stepOf(minute, 60);
  if (minutes !== null) {
    if (hour !== "*") return null;
    return minutes === 1 ? "every minute" : `every ${minutes} minutes`;
  }
  const hours = stepOf(hour, 24);
  if (hours === null || !/^\d{1,2}$/.test(minute) || Number(minute) > 59) return null;
  const at = Number(minute);
  const often = hours === 1 ? "each hour" : `every ${hours} hours`;
  return at === 0 ? often : `${often}, at minute ${at}`;
}

/** The step of a field that takes all, or each so many; null: it is another one. */
function stepOf(field: string, whole: number): number | null {
  if (field === "*") return 1;
  const [, step] = /^\*\/([1-9]\d?)$/.exec(field) ?? [];
  return step !== undefined && whole % Number(step) === 0 ? Number(step) : null;
}

/** The days, in words; empty: each one; null: they take more than a few. */
function daysOf(day: string, month: string, weekday: string): string | null {
  const inMonths = month === "*" ? [] : namesOf(month, months, 1);
  if (inMonths === null) return null;
  if (day !== "*") {
    const days = numbersOf(day, 31);
    // Either of the two is enough: no one reads that out of a few words.
    if (days === null || weekday !== "*") return null;
    const which = inMonths.length === 0 ? "each month" : listed(inMonths);
    return `on day ${listed(days.map(String))} of ${which}`;
  }
  const names = weekday === "*" ? [] : namesOf(weekday, weekdays, 0);
  if (names === null) return null;
  const within = inMonths.length === 0 ? "" : ` in ${listed(inMonths)}`;
  if (names.length === 0) return within === "" ? "" : `each day${within}`;
  const isRange = names.some((name) => name.includes(" "));
  return `${isRange ? "" : "each "}${listed(names)}${within}`;
}

/** The names of a field such as `1-5` or `MON,FRI`; null: it says more than these. */
function namesOf(field: string, all: readonly string[], first: number): readonly string[] | null {
  const at = (text: string): string | undefined => {
    // Sunday is both 0 and 7.
    if (all === weekdays && text === "7") return all[0];
    if (/^\d{1,2}$/.test(text)) return all[Number(text) - first];
    return all.find((name) => name.slice(0, 3).toUpperCase() === text.toUpperCase());
  };
  const names = field.split(",").map((part) => {
    const [from = "", to, ...more] = part.split("-");
    const [one, other] = [at(from), to === undefined ? undefined : at(to)];
    if (one === undefined || more.length > 0) return null;
    if (to === undefined) return one;
    return other === undefined ? null : `${one} to ${other}`;
  });
  return names.every((name) => name !== null) ? names : null;
}

/** The numbers of a field that lists them; null: it says more, or more than a few. */
function numbersOf(field: string, most: number): readonly number[] | null {
  if (!/^\d{1,2}(,\d{1,2}){0,5}$/.test(field)) return null;
  const numbers = field.split(",").map(Number);
  return numbers.every((one) => one <= most) ? numbers.toSorted((a, b) => a - b) : null;
}

const two = (value: number): string => String(value).padStart(2, "0");

/** `a`, `a and b`, `a, b and c`. */
const listed = (words: readonly string[]): string =>
  words.length < 2
    ? words.join("")
    : `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
