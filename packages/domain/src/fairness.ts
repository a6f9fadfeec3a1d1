import { isPrintable } from "./control-characters.ts";
import type { Instant } from "./step.ts";
import type { Milliseconds } from "./workflow-definition.ts";

/**
 * Which share of its band a task belongs to: steps of different keys are claimed in turns, by
 * weight.
 */
export interface Fairness {
  readonly key: string;
  /** How many steps of this key are claimed for one of a key with the weight 1. */
  readonly weight: number;
}

export const fairnessLimits = { key: 100, weight: 1_000 } as const;

/** What a key and a weight may be, for people. */
export const allowedFairness = {
  key: `1 to ${fairnessLimits.key} characters without control characters`,
  weight: `a whole number from 1 to ${fairnessLimits.weight}`,
} as const;

export const isFairnessKey = (key: unknown): key is string => isPrintable(key, fairnessLimits.key);

export const isFairnessWeight = (weight: unknown): weight is number =>
  typeof weight === "number" &&
  Number.isInteger(weight) &&
  weight >= 1 &&
  weight <= fairnessLimits.weight;

/**
 * The rank of a step with a fairness key is a virtual time: it begins here, far after every due
 * time, and goes on by the steps that are claimed. So a rank says whether its step has a key.
 */
export const virtualTime: Instant = Date.UTC(3000, 0, 1);

/** Virtual milliseconds from one step of a key to its next: the more weight, the closer. */
export const strideOf = (weight: number): number => Math.floor(1_000_000 / weight) / 1_000;

/** The state of the keys of one band of one lane. */
export interface FairQueue {
  /** The smallest rank of a due step with a key; null: none is due. */
  readonly head: Instant | null;
  /** The rank of the last due step of each key. Keys with none are left out. */
  readonly last: ReadonlyMap<string, Instant>;
  /** A key that is missing has not been served for long. */
  readonly clocks: ReadonlyMap<string, FairClock>;
}

/** What is remembered of a key. */
export interface FairClock {
  /** The rank after the last step that it was ever given, whatever became of the step. */
  readonly next: Instant;
  /**
   * Virtual milliseconds from one of its steps to the next; the longest where their weights differ.
   */
  readonly stride: Milliseconds;
}

/**
 * The ranks of steps that become due together in one band of one lane, in their order, and where
 * their keys stand then. A key goes on from its last step, or from the head of the queue if that is
 * further: so a new key is served at once, and one that was idle has saved up nothing. If nothing
 * is due, all keys begin where the furthest has got to. A step that left the queue and was not
 * served is not counted: see `startOf`. The state store has the same in `rank-fair-steps.sql`.
 */
export function rankFairSteps(
  queue: FairQueue,
  steps: readonly Fairness[],
): { readonly ranks: readonly Instant[]; readonly clocks: ReadonlyMap<string, FairClock> } {
  const floor = floorOf(queue);
  const clocks = new Map(queue.clocks);
  const ranks = steps.map(() => floor);
  const indexes = Map.groupBy(steps.keys(), (index) => steps[index]!.key);
  for (const [key, ofKey] of indexes) {
    const strides = ofKey.map((index) => strideOf(steps[index]!.weight));
    const stride = Math.max(queue.clocks.get(key)?.stride ?? 0, ...strides);
    let next = startOf(queue, key, stride);
    for (const [place, index] of ofKey.entries()) {
      ranks[index] = next;
      next += strides[place]!;
    }
    clocks.set(key, { next, stride });
  }
  return { ranks, clocks };
}

const floorOf = ({ head, clocks }: FairQueue): Instant =>
  head ?? Math.max(virtualTime, ...[...clocks.values()].map(({ next }) => next));

/**
 * The rank of the next step of a key. Its clock counts what was cancelled, parked or requeued, too,
 * so it says no more than how late that may be. What was served stands no further than the head of
 * the queue, because claims go by rank. So a key goes on one stride after its last step that is
 * due, or after the head if it has none, at the latest.
 */
function startOf(queue: FairQueue, key: string, stride: Milliseconds): Instant {
  const floor = floorOf(queue);
  const clock = queue.clocks.get(key);
  if (clock === undefined) return floor;
  const last = queue.last.get(key);
  const latest = last === undefined ? latestHeadOf(floor, stride) : last + stride;
  return Math.max(floor, Math.min(clock.next, latest));
}

/**
 * Virtual milliseconds by which a key that waits comes before what another key has a whole stride
 * after the head.
 */
const precedence = 0.01;

/** The last rank that the first step of a key may have: one stride after the head of the queue. */
const latestHeadOf = (head: Instant, stride: Milliseconds): Instant => head + stride - precedence;

/**
 * The ranks of the due steps of one key, in their order, once the gaps are closed that others have
 * left which were not served: if the first is later than one whose predecessor was served can be,
 * or the second is further behind it, then each is no further than a stride after the one before.
 * Gaps behind these two are closed when they come first. The state store has the same in
 * `close-fairness-gaps.sql`.
 */
export function closeFairnessGaps(
  head: Instant,
  stride: Milliseconds,
  ranks: readonly Instant[],
): readonly Instant[] {
  const [first, second = first] = ranks;
  if (first === undefined || second === undefined) return ranks;
  const isLate = first > head + stride;
  if (!isLate && second <= first + stride) return ranks;
  let latest = isLate ? latestHeadOf(head, stride) : first;
  return ranks.map((rank) => {
    const closed = Math.min(rank, latest);
    latest = closed + stride;
    return closed;
  });
}
