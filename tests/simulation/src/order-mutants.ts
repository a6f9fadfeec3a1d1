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
  "a new key is put last": rankedBy(({ clocks }, steps) => {
    const nexts = [...clocks.values()].map(({ next }) => next);
    const floor = Math.max(virtualTime, ...nexts);
    return (index) => floor + steps.slice(0, index).reduce((sum, one) => sum + stride(one), 0);
  }),
  "a key begins where it once was, and not at the head of the queue": rankedBy(
    ({ clocks }, steps) =>
      (index) => {
        const { key } = steps[index]!;
        const before = steps.slice(0, index).filter((one) => one.key === key);
        const from = clocks.get(key)?.next ?? virtualTime;
        return from + before.reduce((sum, one) => sum + stride(one), 0);
      },
  ),
  "the steps of a key all have the same rank": rankedBy(
    ({ head }) =>
      () =>
        head ?? virtualTime,
  ),
  "a key pays for its steps that were cancelled": {
    domain: (domain) => ({
      ...domain,
      closeFairnessGaps: (_head, _stride, ranks) => ranks,
      rankFairSteps: (queue, steps) =>
        domain.rankFairSteps({ ...queue, last: afterAll(queue) }, steps),
    }),
  },
};

const stride = ({ weight }: Fairness): number => strideOf(weight);

/** The ranks as if the last step that each key was given were due. */
const afterAll = ({ clocks }: FairQueue): ReadonlyMap<string, number> =>
  new Map([...clocks].map(([key, { next }]) => [key, next]));

function rankedBy(
  rank: (queue: FairQueue, steps: readonly Fairness[]) => (index: number) => number,
): Mutation {
  const rankFairSteps: Domain["rankFairSteps"] = (queue, steps) => {
    const rankAt = rank(queue, steps);
    const ranks = steps.map((_, index) => rankAt(index));
    const clocks = new Map(queue.clocks);
    steps.forEach((step, index) =>
      clocks.set(step.key, { next: ranks[index]! + stride(step), stride: stride(step) }),
    );
    return { ranks, clocks };
  };
  return { domain: (domain) => ({ ...domain, rankFairSteps }) };
}
