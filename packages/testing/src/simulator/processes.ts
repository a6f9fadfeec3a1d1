import { type HostedAgent, sendHeartbeats } from "@holdfast/agent";
import { type Clock, disposableStack, type Failpoint, repeat } from "@holdfast/runtime";
import { type StateWatcher, startScheduler } from "@holdfast/scheduler-service";
import { supervisor } from "@holdfast/supervisor-service";
import type { SimulatedBroker } from "./broker/broker-port.ts";
import type { Host } from "./host.ts";
import type { SimulatedStore } from "./store/simulated-store.ts";

/** What one process sees of the world. */
export interface Ports {
  readonly store: SimulatedStore;
  readonly broker: SimulatedBroker;
  readonly clock: Clock;
}

export { printObservation, printState, type StateWatcher } from "@holdfast/scheduler-service";

/** The broker user of all simulated Schedulers. */
const schedulerUser = "scheduler";

interface SchedulerSettings {
  /** How many steps of one Agent it may have in flight. */
  readonly maxInFlight: number;
  readonly identity?: "required" | "trusted";
  /** Is called with its state whenever that has changed; nothing unless given. */
  readonly watch?: StateWatcher | undefined;
}

/** Runs the real Scheduler in a simulated process until `stop` aborts. */
export async function runScheduler(
  { log, failpoint, name: actor }: Host,
  ports: Ports,
  {
    stop,
    maxInFlight,
    identity = "required",
    watch,
  }: SchedulerSettings & { readonly stop: AbortSignal },
): Promise<void> {
  await using scheduler = await startScheduler({
    ...ports,
    notificationBroker: ports.broker,
    alertBroker: ports.broker,
    log,
    failpoint,
    actor,
    userId: schedulerUser,
    signal: stop,
    maxInFlight: maxInFlight,
    pollInterval: 1_000,
    identity,
    watch,
  });
  await scheduler.ended;
}

/** Runs the real Supervisor in a simulated process until `stop` aborts. */
export function runSupervisor(
  { log, failpoint, name: actor }: Host,
  ports: Ports,
  { stop, recoveryDelay }: { readonly stop: AbortSignal; readonly recoveryDelay: number },
): Promise<void> {
  const intervals = { scanInterval: 1_000, sweepInterval: 5_000, recoveryDelay };
  return supervisor({ ...ports, log, failpoint, actor, ...intervals }).run(stop);
}

interface AgentSettings {
  readonly stop: AbortSignal;
  readonly agents: readonly HostedAgent[];
  /** A failpoint in the place of the host's own. */
  readonly failpoint?: Failpoint;
  /** How many steps each Agent performs at the same time; 10 unless given. */
  readonly slots?: number;
  /** Whether it advertises them in heartbeats; not unless given. */
  readonly beats?: boolean;
}

/** A number that is no chance: whatever is left to chance would make no two runs alike. */
const random = (): number => 0.5;

/** Runs Agents in a simulated process until `stop` aborts. */
export async function runAgents(
  host: Host,
  ports: Ports,
  { stop, agents, failpoint = host.failpoint, slots = 10, beats = false }: AgentSettings,
): Promise<void> {
  const requesters = new Set([schedulerUser]);
  const { log, name: instance } = host;
  const serving = { ...ports, concurrency: slots, requesters, log, failpoint, random };
  await using consumers = disposableStack();
  for (const agent of agents) {
    const userId = agent.name;
    const served = consumers.use(await agent.serve({ ...serving, userId }));
    if (!beats) continue;
    const beat = sendHeartbeats({ broker: ports.broker, served: [served], instance, userId });
    consumers.use(repeat(beat, { name: "heartbeats", signal: stop, log, clock: ports.clock }));
  }
  await aborted(stop);
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}
