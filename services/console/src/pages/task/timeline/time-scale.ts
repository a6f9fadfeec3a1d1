/** A span of time in which something happens. Milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

/** A part of the axis: drawn to scale, or idle and drawn at one width whatever its length. */
interface Segment extends Span {
  readonly isIdle: boolean;
  readonly x: number;
  readonly width: number;
}

export interface TimeScale {
  readonly segments: readonly Segment[];
  readonly width: number;
  /** Returns the place of an instant; one outside of the axis stands at its end. */
  readonly xOf: (at: number) => number;
}

/** An idle part has this width at most, and all of them this share of the picture at most. */
const idleWidth = 34;
const idleShare = 0.35;
/**
 * A pause is idle when it is longer than this, and than this share of the time in which something
 * happens.
 */
const shortestIdle = 400;
const idleOfBusy = 0.15;

/** Makes an axis of the spans in which something happens: the time between them is collapsed. */
export function timeScale(spans: readonly Span[], width: number): TimeScale {
  const busy = mergeSpans(spans);
  const total = busy.reduce((sum, { from, until }) => sum + until - from, 0);
  const least = Math.max(shortestIdle, total * idleOfBusy);
  const drawn = joinNear(busy, least);
  const idle = Math.min(idleWidth, (width * idleShare) / Math.max(drawn.length - 1, 1));
  const shown = drawn.reduce((sum, { from, until }) => sum + until - from, 0);
  const room = width - idle * (drawn.length - 1);
  const perMs = shown > 0 ? room / shown : 0;
  const segments: Segment[] = [];
  let x = 0;
  for (const [index, { from, until }] of drawn.entries()) {
    const before = drawn[index - 1];
    if (before !== undefined) {
      segments.push({ from: before.until, until: from, isIdle: true, x, width: idle });
      x += idle;
    }
    const own = shown > 0 ? (until - from) * perMs : room / drawn.length;
    segments.push({ from, until, isIdle: false, x, width: own });
    x += own;
  }
  return { segments, width, xOf: placeIn(segments, width) };
}

/** Spans that touch become one. In their order. */
function mergeSpans(spans: readonly Span[]): readonly Span[] {
  return joinNear(
    spans
      .filter(({ from, until }) => from <= until)
      .toSorted((one, other) => one.from - other.from),
    0,
  );
}

function joinNear(spans: readonly Span[], least: number): readonly Span[] {
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last !== undefined && span.from - last.until <= least) {
      joined[joined.length - 1] = { from: last.from, until: Math.max(last.until, span.until) };
    } else joined.push(span);
  }
  return joined;
}

function placeIn(segments: readonly Segment[], width: number): (at: number) => number {
  return (at) => {
    const first = segments[0];
    if (first === undefined || at <= first.from) return 0;
    let [low, high] = [0, segments.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((segments[middle]?.until ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    const { from, until, x, width: own } = segments[low] ?? first;
    if (at > until) return width;
    return until === from ? x : x + ((at - from) / (until - from)) * own;
  };
}

export interface Tick {
  readonly x: number;
  readonly at: number;
}

const steps = [1, 2, 5];
/** Lengths between two ticks that people read easily, in milliseconds. */
const lengths = [
  ...[1, 10, 100].flatMap((power) => steps.map((step) => step * power)),
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1_000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000),
  ...[1, 2, 3, 6, 12, 24, 48, 168].map((hours) => hours * 3_600_000),
];

/**
 * Marks of the axis, at round times after `origin`, and so far apart that their words have room.
 */
export function ticksOf({ segments }: TimeScale, origin: number, apart: number): readonly Tick[] {
  const ticks: Tick[] = [];
  let free = 0;
  for (const { from, until, isIdle, x, width } of segments) {
    if (isIdle) continue;
    if (x >= free) {
      ticks.push({ x, at: from });
      free = x + apart;
    }
    const perMs = width / Math.max(until - from, 1);
    const length = lengths.find((one) => one * perMs >= apart);
    if (length === undefined) continue;
    const firstMark = origin + Math.ceil((from - origin) / length) * length;
    for (let at = firstMark; at <= until; at += length) {
      const place = x + (at - from) * perMs;
      if (place < free) continue;
      ticks.push({ x: place, at });
      free = place + apart;
    }
  }
  return ticks;
}
