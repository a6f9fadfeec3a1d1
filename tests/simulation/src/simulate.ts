import { isFinished } from "@holdfast/domain";
import { wakeHint } from "@holdfast/messaging";
import {
  brokerPort,
  epoch,
  type Host,
  memoryBroker,
  memoryStore,
  type Role,
  realDomain,
  runAgents,
  runScheduler,
  runSupervisor,
  type SimulatedStore,
  type StoredTask,
  startHost,
  storePort,
} from "@holdfast/testing/simulator";
import { simulatedAgents } from "./agents.ts";
import type { FaultKind } from "./faults.ts";
import type { Mutation } from "./mutation.ts";
import { unleashNemesis } from "./nemesis.ts";
import { callOperator } from "./operator.ts";
import { operatorActs, unleashOperators } from "./operator-acts.ts";
import { referee } from "./referee.ts";
import { refusingGateway, remoteService } from "./remote.ts";
import { chooseScenario, type Order } from "./scenario.ts";
import { newWorld, type Violation } from "./world.ts";

/** What became of one schedule. */
export interface Verdict {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly faults: ReadonlyMap<FaultKind, number>;
  /** Simulated milliseconds. */
  readonly took: number;
  /** One line for each thing that happened; empty unless it was asked for. */
  readonly story: readonly string[];
}

export interface SimulationOptions {
  readonly mutation?: Mutation;
  /** Whether the story is to be told. It changes nothing in what happens. */
  readonly telling?: boolean;
}

/** Milliseconds after the healing within which every task must have ended. */
const endsWithin = 120_000;
const lanes = ["left", "right"];

/** Runs one schedule to its end. The same seed and the same code: the same schedule. */
export async function simulate(
  seed: number,
  { mutation = {}, telling = false }: SimulationOptions = {},
): Promise<Verdict> {
  const world = newWorld(seed, { telling });
  const { random, timeline } = world;
  const scenario = chooseScenario(world);
  const inFlightLimit =
    world.isCalm && scenario.schedulers === 1 ? 2 * scenario.window : Number.POSITIVE_INFINITY;
  const judges = referee(world, { inFlightLimit });
  const { facts } = judges;

  const memory = memoryStore({
    now: () => epoch + timeline.now,
    random: random.next,
    newId: () => `00000000-0000-4000-8000-0000${world.unique().toString(16).padStart(8, "0")}`,
    isLocked: () => world.strikes("rowLocked"),
    domain: mutation.domain?.(realDomain) ?? realDomain,
    watchers: [judges.moves, judges.order, judges.operators],
  });
  for (const { definition } of scenario.orders) memory.registerWorkflow(definition);
  const store = mutation.store?.(memory) ?? memory;
  const broker = memoryBroker(world, { agents: lanes, watcher: judges.messages });
  const remote = remoteService(judges.effects, mutation.habits);
  const service = mutation.service?.(remote) ?? remote;

  const portsOf = (host: Host) => {
    const stores = storePort(world, host, store);
    const brokers = brokerPort(world, host, { broker, judge: judges.messages });
    return {
      store: mutation.storePort?.(stores, memory) ?? stores,
      broker: mutation.brokerPort?.(brokers, host) ?? brokers,
      clock: mutation.clock?.(host.clock, host) ?? host.clock,
    };
  };

  const startScheduler = (host: Host, stop: AbortSignal): Promise<void> =>
    runScheduler(host, portsOf(host), {
      stop,
      window: mutation.window ?? scenario.window,
      identity: mutation.identity ?? "required",
    });

  const startSupervisor = (host: Host, stop: AbortSignal): Promise<void> =>
    runSupervisor(host, portsOf(host), { stop, grace: scenario.grace });

  const orders = new Map<string, Order>(scenario.orders.map((order) => [order.name, order]));
  const scriptOf = (order: string, step: string) => orders.get(order)?.scripts[step] ?? "fine";

  const startAgents = (host: Host, stop: AbortSignal): Promise<void> => {
    const gateway = refusingGateway(random, mutation.habits);
    const agents = simulatedAgents(world, host, { service, gateway, scriptOf });
    return runAgents(host, portsOf(host), { stop, agents });
  };

  const run = { scheduler: startScheduler, supervisor: startSupervisor, agent: startAgents };

  /** Starts a process, and another one for each that ends. */
  const keepRunning = (role: keyof typeof run, instance: number, start = 1): void => {
    const host = startHost(world, { name: `${role} ${instance}.${start}`, role });
    world.tell(host.name, () => "starts");
    const stop = new AbortController();
    host.onStop(() => stop.abort());
    host.onDeath(() => {
      const down = world.healedAt === null ? 20 + random.below(800) : 0;
      timeline.after(down, () => keepRunning(role, instance, start + 1));
    });
    void run[role](host, stop.signal).then(host.kill);
  };

  const keepAll = (role: keyof typeof run, count: number): void => {
    for (let instance = 1; instance <= count; instance += 1) keepRunning(role, instance);
  };
  keepAll("scheduler", scenario.schedulers);
  keepAll("supervisor", scenario.supervisors);
  keepAll("agent", scenario.agents);

  let clients = scenario.orders.length;
  for (const order of scenario.orders) {
    const host = startHost(world, { name: order.name, role: "client" satisfies Role });
    host.onDeath(() => {
      clients -= 1;
    });
    const ports = portsOf(host);
    const submitted = () => {
      wakeHint(ports.broker)();
      host.kill();
    };
    timeline.after(order.at, () => void submitOrder(ports.store, host, order).then(submitted));
  }
  unleashNemesis(world, { store: memory, broker, facts });
  const acts = operatorActs(world, { memory, store, service, judge: judges.operators, facts });
  unleashOperators(world, acts);
  callOperator(world, acts);
  timeline.after(scenario.healsAt, world.heal);

  const isQuiet = (): boolean =>
    clients === 0 &&
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
    scenario.orders.every(({ scripts }) => Object.values(scripts).every((one) => one === "fine"));
  if (world.violations.length === 0) judges.effects.judge({ isUntroubled });

  return {
    seed,
    violations: world.violations,
    faults: world.faultCounts,
    took: timeline.now,
    story: world.story,
  };
}

function areFinished(tasks: ReadonlyMap<string, StoredTask>): boolean {
  for (const { task } of tasks.values()) {
    if (!isFinished(task)) return false;
  }
  return true;
}

/** A client that does not hear yes asks again, under the same key. */
async function submitOrder(store: SimulatedStore, host: Host, order: Order): Promise<void> {
  const { name, definition, wanted, priority, fairness } = order;
  const task = {
    tenant: "default",
    workflow: definition.name,
    input: { order: name, wanted },
    priority,
    fairness,
    replyTo: null,
    correlationId: null,
    idempotency: { key: name, hash: name },
  };
  for (;;) {
    try {
      await store.submitTasks([task], { actor: host.name });
      return;
    } catch {
      const { promise, resolve } = Promise.withResolvers<void>();
      host.clock.after(40, resolve);
      await promise;
    }
  }
}
