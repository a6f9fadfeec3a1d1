import { TransientFault } from "@holdfast/domain";
import type { Host } from "../host.ts";
import type { World } from "../world.ts";
import type { AtOnce, SimulatedStore, StoresOfRoles } from "./simulated-store.ts";

/** How long a process waits for a store that it cannot reach, in milliseconds. */
const timeout = 500;
/** How often the way to the store takes time of its own, besides the way back. */
const apart = 0.3;

/**
 * The state store as one process sees it: over a network, and with all that can happen on the way.
 * Whatever is done is done at one moment; the answer may be lost, or find the process dead.
 */
export function storePort(world: World, host: Host, store: AtOnce<SimulatedStore>): SimulatedStore {
  const { random, timeline } = world;
  let cutUntil = Number.NEGATIVE_INFINITY;
  world.onHeal(() => {
    cutUntil = Number.NEGATIVE_INFINITY;
  });

  const isCut = (): boolean => {
    if (timeline.now < cutUntil) return true;
    if (!world.strikes("storePartition")) return false;
    cutUntil = timeline.now + 300 + random.below(2_500);
    world.tell(host.name, () => `cannot reach the store until ${cutUntil}`);
    return true;
  };

  const call = <Result>(name: string, execute: () => Result): Promise<Result> => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const answer = (ms: number, how: () => void): void => {
      timeline.after(ms, () => host.actAtRisk(how));
    };
    const fail = (ms: number, why: string): void => {
      world.tell(host.name, () => `${name}: ${why}`);
      answer(ms, () => reject(new TransientFault("store.unavailable", why)));
    };
    const arrive = (): void => {
      if (world.strikes("storeRefusal")) return fail(world.latency(), "the store fails");
      const result = execute();
      if (world.strikes("storeUnconfirmed")) {
        return fail(world.latency(), "done, and reported as failed");
      }
      answer(world.latency(), () => resolve(result));
    };
    host.actAtRisk(() => {
      if (isCut()) return fail(timeout, "no way to the store");
      if (random.chance(apart)) timeline.aside(world.latency(), arrive);
      else arrive();
    });
    return promise;
  };

  const bound = (name: keyof SimulatedStore) => {
    const operation = store[name] as (asked: unknown, options: unknown) => unknown;
    return (asked: unknown, options: unknown) => call(name, () => operation(asked, options));
  };
  const port = Object.fromEntries(operations[host.role].map((name) => [name, bound(name)]));
  return {
    ...port,
    // Definitions never change, so a process keeps them; what is asked for beside everything else
    // costs no time.
    ...answeredAtOnce(store),
    recordRejectedReplies: (replies) =>
      replies.length === 0
        ? Promise.resolve()
        : call("recordRejectedReplies", () => store.recordRejectedReplies(replies)),
  } as SimulatedStore;
}

const answeredAtOnce = (store: AtOnce<SimulatedStore>): Partial<SimulatedStore> => ({
  findLanes: async () => store.findLanes(),
  findAgentServices: async () => store.findAgentServices(),
  findBrokenServices: async () => store.findBrokenServices(),
  findContractDifferences: async (asked) => store.findContractDifferences(asked),
  findAgentSlots: async () => store.findAgentSlots(),
  findUnavailableAgents: async () => store.findUnavailableAgents(),
  findWorkflow: async (name) => store.findWorkflow(name),
  takeNotifications: async (options) => store.takeNotifications(options),
  deleteStaleNotifications: async () => store.deleteStaleNotifications(),
});

/** What each kind of process asks of the store. */
const operations: {
  readonly [Role in keyof StoresOfRoles]: readonly (keyof StoresOfRoles[Role])[];
} & { readonly agent: readonly never[] } = {
  scheduler: [
    "applyEvents",
    "claimDueSteps",
    "claimProbe",
    "countStepsInFlight",
    "endProbes",
    "fireWaits",
    "findBreakers",
    "openBreakers",
    "throttleServices",
    "recordDeadLetters",
    "recordHeartbeats",
    "recordAttemptSigns",
    "recordProofs",
    "rememberOutage",
    "applyPauses",
    "loadCalls",
    "loadValues",
    "confirmRequests",
    "stageDueSteps",
    "takeUnconfirmedSteps",
  ],
  supervisor: [
    "applyEvents",
    "askForProof",
    "findExpired",
    "findStalledTasks",
    "raisePathAlert",
    "rememberOutage",
  ],
  submission: ["findActiveVersions", "findKnownAgents", "findWorkflows", "submitTasks"],
  client: ["submitTasks", "sendSignals", "holdSignal", "recordDecision", "findDecisions"],
  agent: [],
};
