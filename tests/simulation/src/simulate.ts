import { isFinished, type Step } from "@holdfast/domain";
import {
  epoch,
  memoryBroker,
  memoryStore,
  type Random,
  realDomain,
  type StoredTask,
  type StoreWatcher,
} from "@holdfast/testing/simulator";
import type { Facts } from "./facts.ts";
import type { FaultKind } from "./faults.ts";
import { type ApprovalJudge, judgeApprovals } from "./judge-approvals.ts";
import { judgeBreakers } from "./judge-breakers.ts";
import { type EffectJudge, judgeEffects } from "./judge-effects.ts";
import { judgeMessages, type MessageJudge } from "./judge-messages.ts";
import { judgeMoves, type MoveOptions } from "./judge-moves.ts";
import { judgeOperators, type OperatorJudge } from "./judge-operators.ts";
import { judgeOrder } from "./judge-order.ts";
import { judgeSignals, type SignalJudge } from "./judge-signals.ts";
import { judgeVersions, type VersionJudge } from "./judge-versions.ts";
import { judgeWaits } from "./judge-waits.ts";
import type { Mutation } from "./mutation.ts";
import { killAtArrivals, unleashNemesis } from "./nemesis.ts";
import { type OperatorActs, operatorActs } from "./operator-acts.ts";
import { openPorts } from "./ports.ts";
import { remoteService } from "./remote.ts";
import { runClients } from "./run-clients.ts";
import { runDeciders } from "./run-deciders.ts";
import { runProcesses } from "./run-processes.ts";
import { runSenders } from "./run-senders.ts";
import { chooseScenario, type Order, type Scenario, slotLimit } from "./scenario.ts";
import { submissionFront } from "./submission-front.ts";
import { failedOf, tendOrders, unleashOperators } from "./unleash-operators.ts";
import { unleashRollout } from "./unleash-rollout.ts";
import { agentNames, dealVersions } from "./workflows.ts";
import { newWorld, type Violation, type World } from "./world.ts";

/** What became of one schedule. */
export interface Verdict {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly faults: ReadonlyMap<FaultKind, number>;
  /** Simulated milliseconds. */
  readonly took: number;
  /** One line for each thing that happened; empty unless it was asked for. */
  readonly story: readonly string[];
  /**
   * What the Schedulers saw last before it ended, and what their states became by it; empty unless
   * asked for.
   */
  readonly states: readonly string[];
}

export interface SimulationOptions {
  readonly mutation?: Mutation;
  /** Whether the story is written down. It changes nothing in what happens. */
  readonly telling?: boolean;
  /**
   * Whether the states of the Schedulers are to be kept. It changes nothing in what happens either.
   */
  readonly showing?: boolean;
}

/** Milliseconds after the healing within which every task must have ended. */
const endsWithin = 120_000;

/** Runs one schedule to its end. The same seed and the same code: the same schedule. */
export async function simulate(
  seed: number,
  { mutation = {}, telling = false, showing = false }: SimulationOptions = {},
): Promise<Verdict> {
  const world = newWorld(seed, { telling, showing });
  const { timeline } = world;
  const scenario = world.isRollout ? chooseRollout(world.random) : chooseScenario(world);
  const inFlightLimit = inFlightLimitOf(world, scenario);
  const judges = referee(world, { inFlightLimit, orders: scenario.orders });
  const { facts } = judges;

  const memory = openMemory(world, { judges, scenario, mutation });
  const store = mutation.store?.(memory) ?? memory;
  const broker = memoryBroker(world, { agents: agentNames, watcher: judges.messages });
  const remote = remoteService(judges.effects, mutation.habits);
  const service = mutation.service?.(remote) ?? remote;
  const ports = { memory, store, broker, judge: judges.messages, mutation };
  const portsOf = openPorts(world, ports);

  const front = submissionFront(world);
  runProcesses(world, { scenario, mutation, service, portsOf, front });
  const { orders } = scenario;
  const clients = runClients(world, { orders, portsOf, front, judge: judges.versions });
  const senders = runSenders(world, { orders, memory, portsOf, judge: judges.signals });
  const deciders = runDeciders(world, {
    orders,
    memory,
    store,
    portsOf,
    judge: judges.approvals,
    excluded: mutation.excluded ?? ((ids) => ids),
  });
  unleashNemesis(world, { store: memory, broker, facts });
  const acts = operatorActs(world, { memory, store, service, judge: judges.operators, facts });
  unleashOperators(world, acts);
  tendOrders(world, { orders, acts });
  callOperator(world, acts);
  if (world.isRollout) unleashRollout(world, { memory, store, judge: judges.versions });
  timeline.after(scenario.healsAt, world.heal);

  const isQuiet = (): boolean =>
    clients.left === 0 &&
    senders.left === 0 &&
    deciders.left === 0 &&
    broker.countOutstanding() === 0 &&
    world.expected === 0 &&
    areFinished(memory.tasks);
  const isOver = (): boolean =>
    world.violations.length > 0 ||
    isQuiet() ||
    timeline.now > (world.healedAt ?? timeline.now) + endsWithin;
  await timeline.run(isOver);
  const isUntroubled = world.isCalm && orders.every(isUndisturbed);
  if (world.violations.length === 0) judges.effects.judge({ isUntroubled });

  return {
    seed,
    violations: world.violations,
    faults: world.faultCounts,
    took: timeline.now,
    story: world.story,
    states: world.states,
  };
}

/** Whether nothing but its workflow says what becomes of an order. */
const isUndisturbed = ({ scripts, withdrawnAt, signals, decisions }: Order): boolean =>
  withdrawnAt === null &&
  signals === undefined &&
  decisions === undefined &&
  Object.values(scripts).every((one) => one === "fine");

/** How many steps of one Agent may be in flight. */
function inFlightLimitOf({ isCalm }: World, scenario: Scenario): number {
  if (!isCalm || scenario.schedulers > 1) return Number.POSITIVE_INFINITY;
  // Of a whole maxInFlight, a step that is settled while the store counts is taken off twice until
  // it counts again.
  return Math.min(2 * scenario.maxInFlight, slotLimit(scenario));
}

interface MemoryOptions {
  readonly judges: Referee;
  readonly scenario: Scenario;
  readonly mutation: Mutation;
}

/** The store, which knows the workflows of the scenario. */
function openMemory(world: World, { judges, scenario, mutation }: MemoryOptions) {
  const memory = memoryStore({
    now: () => epoch + world.timeline.now,
    random: world.random.next,
    newId: () => `00000000-0000-4000-8000-0000${world.unique().toString(16).padStart(8, "0")}`,
    isLocked: () => world.strikes("rowLocked"),
    domain: mutation.domain?.(realDomain) ?? realDomain,
    watchers: [
      judges.moves,
      judges.order,
      judges.breakers,
      judges.operators,
      judges.waits,
      judges.signals,
      judges.approvals,
      killAtArrivals(world),
      ...(world.isRollout ? [judges.versions] : []),
    ],
  });
  for (const { definition } of scenario.orders) memory.registerWorkflow(definition);
  return memory;
}

function areFinished(tasks: ReadonlyMap<string, StoredTask>): boolean {
  for (const { task } of tasks.values()) {
    if (!isFinished(task)) return false;
  }
  return true;
}

/** Milliseconds between two looks. */
const interval = 500;
/** Milliseconds. A step that rests for longer is what an operator would not wait for. */
const longRest = 5_000;
/** Milliseconds after which an operator ends a wait that lasts for ever. */
const patience = 9_000;

/**
 * Looks after what is paused, what rests for long and what halted, once everything is healed: has a
 * failed step tried again, once, as it was or with an input put in by hand, and the task undone if
 * that did not help.
 */
function callOperator(world: World, acts: OperatorActs): void {
  const resubmitted = new Set<string>();
  const retry = (stored: StoredTask, step: Step): void => {
    resubmitted.add(`${stored.task.taskId} ${step.plan.name}`);
    acts.resubmit(stored, step, world.random.chance(0.5));
  };
  const tend = (stored: StoredTask): void => {
    const { taskId, goal, processState, paused } = stored.task;
    // Not at the first look: limits must stand still for longer than they are.
    if (paused) return world.random.chance(0.3) ? acts.resumeTask(stored) : undefined;
    const endless = acts.awaiting(stored).find(isEndless);
    const isMissed = world.timeline.now > (world.healedAt ?? 0) + patience;
    if (endless !== undefined && isMissed) return acts.fire(stored, endless);
    const resting = acts.delayed(stored, longRest);
    if (resting !== undefined) acts.retry(stored, resting);
    if (processState !== "halted") return;
    const failed = failedOf(stored);
    const again = failed.filter(({ plan }) => resubmitted.has(`${taskId} ${plan.name}`));
    if (goal === "do" && again.length > 0) return acts.undo(stored);
    for (const step of failed) retry(stored, step);
  };

  const look = (): void => {
    for (const stored of acts.unfinished()) tend(stored);
    if (world.random.chance(0.3)) acts.resumeTargets();
    world.timeline.aside(interval, look);
  };
  world.onHeal(look);
}

/** Whether a step waits for ever, and an operator may end that. */
const isEndless = (step: Step): boolean =>
  step.processState === "awaiting" && step.notBefore === null && step.plan.kind !== "approval";

/**
 * Knows what really happened, and the rules. It sees every move, message and effect, decides
 * nothing and believes no part: each rule is held against what it saw itself.
 */
interface Referee {
  readonly facts: Facts;
  readonly moves: StoreWatcher;
  readonly order: StoreWatcher;
  readonly breakers: StoreWatcher;
  readonly operators: OperatorJudge;
  readonly waits: StoreWatcher;
  readonly signals: SignalJudge;
  readonly approvals: ApprovalJudge;
  readonly versions: VersionJudge;
  readonly messages: MessageJudge;
  readonly effects: EffectJudge;
}

interface RefereeOptions extends MoveOptions {
  readonly orders: readonly Order[];
}

function referee(world: World, options: RefereeOptions): Referee {
  const facts: Facts = { tasks: new Map(), attempts: new Map(), needs: [] };
  return {
    facts,
    moves: judgeMoves(world, facts, options),
    order: judgeOrder(world),
    breakers: judgeBreakers(world),
    operators: judgeOperators(world),
    waits: judgeWaits(world),
    signals: judgeSignals(world),
    approvals: judgeApprovals(world, options.orders),
    versions: judgeVersions(world, options.orders),
    messages: judgeMessages(world, facts),
    effects: judgeEffects(world, facts),
  };
}

const orders = 5;
/** Milliseconds in which they come in. */
const during = 1_000;

/** Operators change the versions of a workflow while its orders come in by way of submission. */
function chooseRollout(random: Random): Scenario {
  return {
    schedulers: 1,
    supervisors: 1,
    agents: 1,
    submissions: random.chance(0.4) ? 2 : 1,
    maxInFlight: 200,
    recoveryDelay: 0,
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
