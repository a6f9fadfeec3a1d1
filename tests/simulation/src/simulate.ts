import { isFinished } from "@holdfast/domain";
import {
  epoch,
  memoryBroker,
  memoryStore,
  realDomain,
  type StoredTask,
} from "@holdfast/testing/simulator";
import type { FaultKind } from "./faults.ts";
import type { Mutation } from "./mutation.ts";
import { unleashNemesis } from "./nemesis.ts";
import { callOperator } from "./operator.ts";
import { operatorActs } from "./operator-acts.ts";
import { openPorts } from "./ports.ts";
import { type Referee, referee } from "./referee.ts";
import { remoteService } from "./remote.ts";
import { chooseRollout } from "./rollout.ts";
import { runClients } from "./run-clients.ts";
import { runProcesses } from "./run-processes.ts";
import { chooseScenario, type Scenario, slotLimit } from "./scenario.ts";
import { submissionFront } from "./submission-front.ts";
import { unleashOperators, withdrawOrders } from "./unleash-operators.ts";
import { unleashRollout } from "./unleash-rollout.ts";
import { agentNames } from "./workflows.ts";
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
  /** What the Schedulers saw last before it ended, and what their states became by it; empty unless asked for. */
  readonly states: readonly string[];
}

export interface SimulationOptions {
  readonly mutation?: Mutation;
  /** Whether the story is to be told. It changes nothing in what happens. */
  readonly telling?: boolean;
  /** Whether the states of the Schedulers are to be kept. It changes nothing in what happens either. */
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
  const submitting = { front, judge: judges.versions };
  const clients = runClients(world, { orders: scenario.orders, portsOf, ...submitting });
  unleashNemesis(world, { store: memory, broker, facts });
  const acts = operatorActs(world, { memory, store, service, judge: judges.operators, facts });
  unleashOperators(world, acts);
  withdrawOrders(world, { orders: scenario.orders, acts });
  callOperator(world, acts);
  if (world.isRollout) unleashRollout(world, { memory, store, judge: judges.versions });
  timeline.after(scenario.healsAt, world.heal);

  const isQuiet = (): boolean =>
    clients.left === 0 &&
    broker.countOutstanding() === 0 &&
    world.expected === 0 &&
    areFinished(memory.tasks);
  const isOver = (): boolean =>
    world.violations.length > 0 ||
    isQuiet() ||
    timeline.now > (world.healedAt ?? timeline.now) + endsWithin;
  await timeline.run(isOver);
  const isUntroubled =
    world.isCalm &&
    scenario.orders.every(
      ({ scripts, withdrawnAt }) =>
        withdrawnAt === null && Object.values(scripts).every((one) => one === "fine"),
    );
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

/** How many steps of one Agent may be in flight. */
function inFlightLimitOf({ isCalm }: World, scenario: Scenario): number {
  if (!isCalm || scenario.schedulers > 1) return Number.POSITIVE_INFINITY;
  // Of a whole window, a step that is settled while the store counts is taken off twice until it counts again.
  return Math.min(2 * scenario.window, slotLimit(scenario));
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
