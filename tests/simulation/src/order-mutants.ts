import { type Fairness, type FairQueue, strideOf, virtualTime } from "@holdfast/domain";
import type { Domain } from "@holdfast/testing/simulator";
import type { Mutation } from "./mutation.ts";

/** Stores that claim in a wrong order, by name. The simulation must find each of them. */
export const orderMutants: Readonly<Record<string, Mutation>> = {
  "the last band is claimed first": {
    domain: (domain) => ({
      ...domain,
      bandOfStep: (step, task) => 3 - domain.bandOfStep(step, task),
    }),
  },
  "all steps are in one band": { domain: (domain) => ({ ...domain, bandOfStep: () => 2 }) },
  "a new key is put last": rankedBy(({ next }, steps) => {
    const floor = Math.max(virtualTime, ...next.values());
    return (index) => floor + steps.slice(0, index).reduce((sum, one) => sum + stride(one), 0);
  }),
  "a key begins where it once was, and not at the head of the queue": rankedBy(
    ({ next }, steps) =>
      (index) => {
        const { key } = steps[index]!;
        const before = steps.slice(0, index).filter((one) => one.key === key);
        return (next.get(key) ?? virtualTime) + before.reduce((sum, one) => sum + stride(one), 0);
      },
  ),
  "the steps of a key all have the same rank": rankedBy(
    ({ head }) =>
      () =>
        head ?? virtualTime,
  ),
};

const stride = ({ weight }: Fairness): number => strideOf(weight);

function rankedBy(
  rank: (queue: FairQueue, steps: readonly Fairness[]) => (index: number) => number,
): Mutation {
  const rankFairSteps: Domain["rankFairSteps"] = (queue, steps) => {
    const rankAt = rank(queue, steps);
    const ranks = steps.map((_, index) => rankAt(index));
    const next = new Map(queue.next);
    steps.forEach((step, index) => next.set(step.key, ranks[index]! + stride(step)));
    return { ranks, next };
  };
  return { domain: (domain) => ({ ...domain, rankFairSteps }) };
}
