import type { Random } from "@holdfast/testing/simulator";
import type { Order, Scenario } from "./scenario.ts";
import { dealVersions } from "./workflows.ts";

const orders = 5;
/** Milliseconds in which they come in. */
const during = 1_000;

/** Operators change the versions of a workflow while its orders come in by way of submission. */
export function chooseRollout(random: Random): Scenario {
  return {
    schedulers: 1,
    supervisors: 1,
    agents: 1,
    submissions: random.chance(0.4) ? 2 : 1,
    window: 200,
    grace: 0,
    slots: 10,
    beats: false,
    orders: Array.from({ length: orders }, (_, index) => chooseOrder(random, index)),
    healsAt: 600 + random.below(600),
  };
}

const [first] = dealVersions;

const chooseOrder = (random: Random, index: number): Order => ({
  name: `order ${index + 1}`,
  definition: first!,
  wanted: true,
  priority: "normal",
  fairness: null,
  at: random.below(during),
  withdrawnAt: null,
  scripts: random.chance(0.1) ? { b: "declined" } : {},
  asked: {
    workflow: random.pick(["deal", "deal", "deal", "deal.v1", "deal.v2"]),
    hasCoupon: random.chance(0.4),
    repeatedAfter: random.chance(0.7) ? random.below(400) : null,
  },
});
