import type { Instant } from "../step.ts";
import type { Milliseconds } from "../workflow-definition.ts";
import { type Resolution, resolutions, startOf, widthOf } from "./count-events.ts";

/** The time from one instant on and before another. */
export interface TimeSpan {
  readonly from: Instant;
  readonly until: Instant;
}

/** Spans of equal width that cover a range, made of counts of one resolution. */
export interface BucketPlan extends TimeSpan {
  readonly bucketMs: Milliseconds;
  readonly resolution: Resolution;
}

export const mostBuckets = 400;
/** How long counts of each resolution are kept. */
export const keptFor: Readonly<Record<Resolution, Milliseconds>> = {
  minute: 3 * widthOf.day,
  hour: 400 * widthOf.day,
  day: 3_660 * widthOf.day,
};

/** Each is at most seven of its resolution, so a chart reads at most 2,800 counts of a subject. */
const widths = [
  { resolution: "minute", bucketMs: widthOf.minute },
  { resolution: "minute", bucketMs: 5 * widthOf.minute },
  { resolution: "hour", bucketMs: widthOf.hour },
  { resolution: "hour", bucketMs: 6 * widthOf.hour },
  { resolution: "day", bucketMs: widthOf.day },
  { resolution: "day", bucketMs: 7 * widthOf.day },
] as const;

/**
 * The narrowest buckets of which at most 400 cover the range, and whose counts are still kept at
 * `now`. A range that is too long for the widest of them begins later than asked.
 */
export function planBuckets({ from, until }: TimeSpan, now: Instant): BucketPlan {
  const plans = widths.map(({ resolution, bucketMs }) => ({
    resolution,
    bucketMs,
    from: Math.floor(from / bucketMs) * bucketMs,
    until: Math.ceil(until / bucketMs) * bucketMs,
  }));
  const fitting = plans.find(
    (plan) =>
      (plan.until - plan.from) / plan.bucketMs <= mostBuckets &&
      plan.from >= now - keptFor[plan.resolution],
  );
  const widest = plans.at(-1)!;
  const earliest = widest.until - mostBuckets * widest.bucketMs;
  return fitting ?? { ...widest, from: Math.max(widest.from, earliest) };
}

export interface ResolvedSpan extends TimeSpan {
  readonly resolution: Resolution;
}

/**
 * The same range in few counts: days within it, hours before and after those, minutes at its ends.
 */
export function spansOf({ from, until }: TimeSpan, finest: Resolution): readonly ResolvedSpan[] {
  return cover({ from, until }, resolutions.toReversed(), finest);
}

function cover(
  { from, until }: TimeSpan,
  [resolution, ...finer]: readonly Resolution[],
  finest: Resolution,
): readonly ResolvedSpan[] {
  if (resolution === undefined || from >= until) return [];
  if (resolution === finest) return [{ resolution, from, until }];
  const width = widthOf[resolution];
  const first = startOf(from + width - 1, resolution);
  const last = startOf(until, resolution);
  if (first >= last) return cover({ from, until }, finer, finest);
  return [
    ...cover({ from, until: first }, finer, finest),
    { resolution, from: first, until: last },
    ...cover({ from: last, until }, finer, finest),
  ];
}
