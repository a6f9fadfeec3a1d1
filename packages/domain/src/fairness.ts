import { printableCharacter } from "./control-characters.ts";
import type { Instant } from "./step.ts";

/** Which share of its band a task belongs to: steps of different keys are claimed in turns, by weight. */
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

const printable = new RegExp(`^${printableCharacter}{1,${fairnessLimits.key}}$`, "u");

export const isFairnessKey = (key: unknown): key is string =>
  typeof key === "string" && printable.test(key);

export const isFairnessWeight = (weight: unknown): weight is number =>
  typeof weight === "number" &&
  Number.isInteger(weight) &&
  weight >= 1 &&
  weight <= fairnessLimits.weight;

/**
 * The rank of a step with a fairness key is a virtual time: it begins here, far after every due time, and goes on
 * by the steps that are claimed. So a rank says whether its step has a key.
 */
export const virtualTime: Instant = Date.UTC(3000, 0, 1);

/** Virtual milliseconds from one step of a key to its next: the more weight, the closer. */
export const strideOf = (weight: number): number => Math.floor(1_000_000 / weight) / 1_000;

/** Where the keys of one band of one lane stand. */
export interface FairQueue {
  /** The smallest rank of a due step with a key; null: none is due. */
  readonly head: Instant | null;
  /** By key: the earliest rank of its next step. A key that is missing has not been served for long. */
  readonly next: ReadonlyMap<string, Instant>;
}

/**
 * The ranks of steps that become due together in one band of one lane, in their order, and where their keys stand
 * then. A key goes on from its last step, or from the head of the queue if that is further: so a new key is
 * served at once, and one that was idle has saved up nothing. If nothing is due, all keys begin where the furthest
 * has got to. The state store has the same in `rank-fair-steps.sql`.
 */
export function rankFairSteps(
  { head, next }: FairQueue,
  steps: readonly Fairness[],
): { readonly ranks: readonly Instant[]; readonly next: ReadonlyMap<string, Instant> } {
  const floor = head ?? Math.max(virtualTime, ...next.values());
  const after = new Map(next);
  const ranks = steps.map(({ key, weight }) => {
    const rank = Math.max(floor, after.get(key) ?? floor);
    after.set(key, rank + strideOf(weight));
    return rank;
  });
  return { ranks, next: after };
}
