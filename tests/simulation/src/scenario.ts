import type { Fairness, Priority, WorkflowDefinition } from "@holdfast/domain";
import { type Random, seededRandom } from "@holdfast/testing/simulator";
import { type PlannedDecision, withDecisions } from "./plan-decisions.ts";
import { type PlannedSignal, withSignals } from "./plan-signals.ts";
import type { Script } from "./remote.ts";
import { definitions, persistent } from "./workflows.ts";
import type { World } from "./world.ts";

/** How an order is submitted by way of a submission process. */
export interface Asked {
  /** A version, or the name of all. */
  readonly workflow: string;
  /** What the first version refuses. */
  readonly hasCoupon: boolean;
  /**
   * Milliseconds from its answer until it is sent once more, under the same key; null: it is not.
   */
  readonly repeatedAfter: number | null;
}

/** One order that a client submits. */
export interface Order {
  readonly name: string;
  readonly definition: WorkflowDefinition;
  readonly wanted: boolean;
  readonly priority: Priority;
  readonly fairness: Fairness | null;
  /** When, in milliseconds. */
  readonly at: number;
  /** When an operator has it undone; null: it is left alone. */
  readonly withdrawnAt: number | null;
  /** When an operator pauses it; absent: it is not paused by plan. */
  readonly pausedAt?: number;
  readonly scripts: Readonly<Record<string, Script>>;
  /**
   * How it is submitted by way of a submission process; absent: its client writes it down itself.
   */
  readonly asked?: Asked;
  /** The business key of its task; absent: none. Orders of one key are done one after the other. */
  readonly key?: string;
  /** What is sent to its task; absent: nothing, for no step of it waits for a signal. */
  readonly signals?: readonly PlannedSignal[];
  /** The id of who submits it; absent: unknown. */
  readonly submittedBy?: string;
  /** What people decide about its steps; absent: nothing, for it has none that they decide. */
  readonly decisions?: readonly PlannedDecision[];
}

/** Who takes part in a schedule, and what is to be done. */
export interface Scenario {
  readonly schedulers: number;
  readonly supervisors: number;
  readonly agents: number;
  /** The processes that take submissions; none: clients write orders down themselves. */
  readonly submissions: number;
  readonly maxInFlight: number;
  /** How many steps each Agent of a process performs at the same time. */
  readonly slots: number;
  /** Whether Agents advertise their slots in heartbeats. */
  readonly beats: boolean;
  /** Milliseconds for which a Supervisor holds back after a start. */
  readonly recoveryDelay: number;
  readonly orders: readonly Order[];
  /** When all faults end, in milliseconds. */
  readonly healsAt: number;
}

/**
 * The shares of schedules that have a crowd of small orders before a low limit instead: more of
 * those without faults, for only there is the limit exact.
 */
const crowded = { calm: 0.15, troubled: 0.01 };
const crowd = 8;
/**
 * The share of the crowds that meet Agents with one slot instead of a narrow maxInFlight, once
 * their heartbeats have come.
 */
const capped = { share: 0.4, from: 1_500 };
/** Orders of such a crowd that are of one key where another key comes later. */
const early = 5;

/**
 * The share of the crowds that are larger, and in which most orders of one key are withdrawn before
 * its last one comes.
 */
const withdrawn = { share: 0.2, crowd: 12, ofKey: 6 };

/**
 * The shares of schedules with an outage that lasts until a breaker has been tried several times.
 */
const outages = { calm: 0.08, troubled: 0.004 };
const ordersInOutage = 8;

/**
 * Chooses a scenario that is mostly small and short: that finds the same as large ones, for no more
 * work.
 */
export function chooseScenario({
  random,
  isCalm,
  seed,
}: Pick<World, "random" | "isCalm" | "seed">): Scenario {
  const isOutage = seededRandom(seed + 2_000_000_011).chance(
    isCalm ? outages.calm : outages.troubled,
  );
  if (isOutage) return chooseOutage(random);
  const isCrowded = random.chance(isCalm ? crowded.calm : crowded.troubled);
  const isCapped = isCrowded && random.chance(capped.share);
  const oneOrTwo = (share: number) => (random.chance(share) ? 2 : 1);
  const isWithdrawn =
    isCrowded && !isCapped && seededRandom(seed + 3_000_000_019).chance(withdrawn.share);
  const ofCrowd = isWithdrawn ? withdrawn.crowd : crowd;
  const count = isCrowded ? ofCrowd : oneOrTwo(0.05);
  const chosen = Array.from({ length: count }, (_, index) => chooseOrder(random, index, isCrowded));
  const inCrowd = isWithdrawn ? thinned(seed) : inTurn(seed);
  const inOrder = isCrowded ? chosen.map(inCrowd) : chosen;
  const signalled = inOrder.flatMap(withSignals(seed)).map(withDecisions(seed));
  const orders = isCapped ? signalled.map(afterHeartbeats) : signalled;
  const isLong = orders.some(takesLong) || random.chance(0.05);
  return {
    schedulers: isCrowded ? 1 : oneOrTwo(0.12),
    supervisors: oneOrTwo(0.08),
    agents: oneOrTwo(0.1),
    submissions: 0,
    maxInFlight: isCrowded && !isCapped ? 1 : random.pick(isCapped ? [200] : [1, 2, 200]),
    slots: isCapped ? 1 : 10,
    beats: isCapped || random.chance(0.2),
    recoveryDelay: random.pick([0, 0, 300, 1_000]),
    orders,
    healsAt: isLong ? 1_000 + random.below(1_400) : 200 + random.below(400),
  };
}

/** Nothing that is asked of one Agent works, until everything is healed. */
function chooseOutage(random: Random): Scenario {
  const orders = Array.from(
    { length: ordersInOutage },
    (_, index): Order => ({
      name: `order ${index + 1}`,
      definition: persistent,
      wanted: true,
      priority: "normal",
      fairness: null,
      at: random.below(3_000),
      withdrawnAt: null,
      scripts: { a: "out" },
    }),
  );
  return {
    schedulers: 2,
    supervisors: 1,
    agents: 1,
    submissions: 0,
    maxInFlight: 200,
    recoveryDelay: 0,
    slots: 10,
    beats: false,
    orders,
    healsAt: 8_000 + random.below(12_000),
  };
}

const afterHeartbeats = (order: Order): Order => ({ ...order, at: order.at + capped.from });

/**
 * How many steps of one Agent may be in flight where nothing disturbs it, as its instances
 * advertise.
 */
export const slotLimit = ({ beats, slots, agents, orders }: Scenario): number =>
  beats && orders.every(({ at }) => at >= capped.from)
    ? 2 * slots * agents
    : Number.POSITIVE_INFINITY;

function chooseOrder(random: Random, index: number, isCrowded: boolean): Order {
  const definition = isCrowded ? (definitions[0] as WorkflowDefinition) : random.pick(definitions);
  return {
    name: `order ${index + 1}`,
    definition,
    wanted: random.chance(0.6),
    priority: random.chance(0.2) ? "urgent" : "normal",
    fairness: null,
    at: isCrowded ? 0 : random.below(50),
    withdrawnAt: null,
    scripts: Object.fromEntries(definition.steps.map(({ name }) => [name, chooseScript(random)])),
  };
}

const [ann, bob, eve]: readonly Fairness[] = [
  { key: "ann", weight: 1 },
  { key: "bob", weight: 1 },
  { key: "eve", weight: 3 },
];

/**
 * Gives the orders of a crowd what makes their order matter: some are batch work, most have a key,
 * and some come later.
 */
function inTurn(seed: number) {
  const random = seededRandom(seed + 1_000_000_007);
  const [hasKeys, isSecondLate] = [random.chance(0.75), random.chance(0.4)];
  const later = 60 + random.below(80);
  return (order: Order, index: number): Order => {
    const second = { fairness: bob ?? null, at: later, priority: order.priority };
    const first = { fairness: ann ?? null, at: 0, priority: order.priority };
    if (isSecondLate) return { ...order, ...(index < early ? first : second) };
    const fairness = random.pick([ann, ann, bob, eve, undefined]) ?? null;
    return {
      ...order,
      priority: random.chance(0.15) ? "batch" : order.priority,
      fairness: hasKeys ? fairness : null,
      at: random.chance(0.7) ? 0 : random.below(50),
    };
  };
}

/** Two keys have as many orders at first. Those of one are withdrawn, and it has one more. */
function thinned(seed: number) {
  const random = seededRandom(seed + 3_000_000_019);
  const withdrawnAt = 1 + random.below(20);
  const later = withdrawnAt + 1 + random.below(10);
  return (order: Order, index: number): Order => {
    const alike = { ...order, priority: "normal" } as const;
    if (index >= withdrawn.ofKey) return { ...alike, fairness: bob ?? null };
    const isLast = index === withdrawn.ofKey - 1;
    return { ...alike, fairness: ann ?? null, ...(isLast ? { at: later } : { withdrawnAt }) };
  };
}

/** Milliseconds after which people decide late. */
const late = 2_500;

/** It takes some retries until such a step has failed for good, or some people decide late. */
const takesLong = ({ scripts, decisions = [] }: Order): boolean =>
  Object.values(scripts).some((script) => script === "lossy" || script === "failing") ||
  decisions.some(({ at }) => at > late);

function chooseScript(random: Random): Script {
  if (random.chance(0.1)) return "declined";
  if (random.chance(0.06)) return "lossy";
  return random.chance(0.04) ? "failing" : "fine";
}
