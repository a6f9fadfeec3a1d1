type At = string | number;

const msOf = (at: At): number => (typeof at === "number" ? at : Date.parse(at));
const two = (value: number): string => String(value).padStart(2, "0");

/** A count with separators, the same in every browser. */
export const formatCount = (count: number): string =>
  Number.isFinite(count) ? count.toLocaleString("en-US", { maximumFractionDigits: 1 }) : "–";

const units: readonly (readonly [string, number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
];

/**
 * A duration in two units at most: `210 ms`, `1.4 s`, `38 s`, `2 min 5 s`, `3 h 12 min`, `5 d 2 h`.
 */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return "–";
  const size = Math.abs(ms);
  if (size < 1_000) return `${Math.round(size)} ms`;
  if (size < 9_950) return `${(size / 1_000).toFixed(1).replace(/\.0$/, "")} s`;
  const seconds = Math.round(size / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const index = units.findIndex(([, length]) => seconds * 1_000 >= length);
  const [unit, length] = units[index] ?? ["min", 60_000];
  const [lesserUnit, lesserLength] = units[index + 1] ?? ["s", 1_000];
  const whole = Math.floor((seconds * 1_000) / length);
  const lesser = Math.floor((seconds * 1_000 - whole * length) / lesserLength);
  return lesser === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${lesser} ${lesserUnit}`;
}

/** A duration in one unit: for a column of ages. */
export const formatAge = (ms: number): string => {
  const [value = "", unit = ""] = formatDuration(wholeSeconds(Math.max(ms, 0))).split(" ");
  return ms < 1_000 ? "now" : `${value} ${unit}`;
};

/** `4 s ago`, `in 38 s`. */
export function relativeTime(at: At, now: number): string {
  const ms = msOf(at) - now;
  if (Number.isNaN(ms)) return "–";
  if (Math.abs(ms) < 1_000) return "now";
  return ms > 0
    ? `in ${formatDuration(wholeSeconds(ms))}`
    : `${formatDuration(wholeSeconds(ms))} ago`;
}

const wholeSeconds = (ms: number): number => Math.round(ms / 1_000) * 1_000;

/** Date and time of this browser to the millisecond: `2026-11-25 21:40:03.114`. */
export function exactTime(at: At): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "–";
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${clockTime(at)}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

/** `21:40:03` of this browser. */
export function clockTime(at: At): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "–";
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** `2026-11-25 21:40` of this browser, for instants of whole minutes. */
export const minuteTime = (at: At): string => exactTime(at).slice(0, 16);

const zoneFormats = new Map<string, Intl.DateTimeFormat | null>();

/** `2026-11-25 22:40` as clocks of a zone show it; null: this browser does not know the zone. */
export function zoneTime(at: At, zone: string): string | null {
  const known = zoneFormats.get(zone);
  const format = known === undefined ? formatOf(zone) : known;
  zoneFormats.set(zone, format);
  const ms = msOf(at);
  if (format === null || Number.isNaN(ms)) return null;
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  const [year, month, day] = [parts.get("year"), parts.get("month"), parts.get("day")];
  return `${year}-${month}-${day} ${parts.get("hour")}:${parts.get("minute")}`;
}

function formatOf(timeZone: string): Intl.DateTimeFormat | null {
  const [digits, long] = ["2-digit", "numeric"] as const;
  const shown = { year: long, month: digits, day: digits, hour: digits, minute: digits } as const;
  try {
    return new Intl.DateTimeFormat("en-GB", { ...shown, timeZone, hourCycle: "h23" });
  } catch {
    return null;
  }
}

/** `21:40:03`, with its day if that is another one than today. */
export function shortTime(at: At, now: number): string {
  const exact = exactTime(at);
  const isToday = exact.slice(0, 10) === exactTime(now).slice(0, 10);
  return isToday ? clockTime(at) : exact.replace(/\.\d+$/, "");
}

interface Piece {
  readonly words: string;
  /** The instant that the words are; null: they are none. */
  readonly at: number | null;
  /** The place of the piece in the text. */
  readonly index: number;
}

const instant = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z/g;

/**
 * A text of the service cut at the instants in it, so that each can be shown in the reader's time.
 */
export function splitAtInstants(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: words, index } of text.matchAll(instant)) {
    const at = Date.parse(words);
    if (Number.isNaN(at)) continue;
    if (index > end) pieces.push({ words: text.slice(end, index), at: null, index: end });
    pieces.push({ words, at, index });
    end = index + words.length;
  }
  if (end < text.length) pieces.push({ words: text.slice(end), at: null, index: end });
  return pieces;
}

/** The two ends of an id: those of one minute begin alike. */
export const shortId = (id: string): string =>
  id.length > 20 ? `${id.slice(0, 8)}…${id.slice(-6)}` : id;

/**
 * Characters that turn the direction of the text around them, so that it reads as something else.
 */
const turning = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/**
 * JSON to read, or to copy. Characters that would show it in another order are written as escapes.
 */
export const formatJson = (value: unknown): string =>
  value === undefined
    ? ""
    : JSON.stringify(value, null, 2).replace(
        turning,
        (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );

const sizes = ["B", "KiB", "MiB", "GiB", "TiB"];

/** `4.2 MiB`. */
export function formatBytes(bytes: number): string {
  if (!Number.isFinite(bytes)) return "–";
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), sizes.length - 1);
  const value = bytes / 1024 ** power;
  return `${power > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${sizes[power]}`;
}
