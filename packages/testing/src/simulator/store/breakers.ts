import { type Instant, type Milliseconds, openForAfter } from "@holdfast/domain";
import type { Breaker, BreakerRequest, ProbeOptions } from "@holdfast/state-store";
import { claimDueSteps } from "./claim.ts";
import type { AtOnce, SimulatedStore } from "./simulated-store.ts";
import type { StoreState } from "./store-state.ts";
import type { Probe, StoredBreaker } from "./stored-breaker.ts";

type Guarding = Pick<
  AtOnce<SimulatedStore>,
  | "claimProbe"
  | "closeBreaker"
  | "endProbes"
  | "findAgentServices"
  | "findBreakers"
  | "findBrokenServices"
  | "holdBreakerOpen"
  | "openBreakers"
  | "throttleServices"
>;

const minute: Milliseconds = 60_000;

/**
 * Breakers of remote services. Heartbeats are not simulated, so no instance has an open circuit.
 */
export const guarding = (state: StoreState): Guarding => ({
  findBreakers: () => found(state),
  findAgentServices: () => agentServices(state),
  findBrokenServices: () => [],
  openBreakers: ({ services }) =>
    services.filter(({ service, reason }) => open(state, service, { reason, openings: 1 })).length,
  throttleServices({ throttles }) {
    for (const { service, throttle } of throttles) {
      const breaker = breakerOf(state, service);
      const throttledUntil = Math.max(breaker.throttledUntil ?? 0, state.now() + throttle);
      put(state, { ...breaker, throttledUntil });
    }
  },
  claimProbe: (options) => claimProbe(state, options),
  endProbes({ outcomes }) {
    for (const { token, answered, code } of outcomes) {
      const breaker = [...state.breakers.values()].find(({ probe }) => probe?.token === token);
      if (breaker?.state !== "half-open") continue;
      if (answered) close(state, breaker, "A probe was answered");
      else again(state, breaker, `A probe failed: ${code}`);
    }
  },
  holdBreakerOpen: (request) => hold(state, request),
  closeBreaker({ service, reason }) {
    const breaker = state.breakers.get(service);
    const isFree =
      breaker === undefined || (breaker.state === "closed" && !isThrottled(state, breaker));
    if (isFree) return false;
    close(state, { ...breaker, throttledUntil: null }, reason);
    return true;
  },
});

/** Whether the steps of some remote service are held back. */
export const holdsBack = (state: StoreState): boolean =>
  [...state.breakers.values()].some(
    (breaker) => breaker.state !== "closed" || isThrottled(state, breaker),
  );

/** Agents that wrap a remote service of another name than their own. */
const agentServices = ({ workflows }: StoreState) =>
  [...workflows.values()]
    .flatMap(({ definition }) => Object.entries(definition.remotes ?? {}))
    .map(([agent, { service }]) => ({ agent, service }))
    .filter(({ agent, service }) => agent !== service);

/** A service without a row is closed. */
const breakerOf = (state: StoreState, service: string): StoredBreaker =>
  state.breakers.get(service) ?? {
    service,
    state: "closed",
    reason: "",
    since: state.now(),
    openUntil: null,
    openings: 0,
    throttledUntil: null,
    probe: null,
  };

function put(state: StoreState, breaker: StoredBreaker): void {
  state.breakers.set(breaker.service, breaker);
  for (const watcher of state.watchers) watcher.breaker?.(breaker.service, breaker.state);
}

const isThrottled = ({ now }: StoreState, { throttledUntil }: StoredBreaker): boolean =>
  throttledUntil !== null && throttledUntil > now();

const openUntil = ({ now }: StoreState, openings: number): Instant =>
  now() + openForAfter(openings);

function open(
  state: StoreState,
  service: string,
  { reason, openings }: Pick<StoredBreaker, "reason" | "openings">,
): boolean {
  const breaker = breakerOf(state, service);
  if (breaker.state !== "closed") return false;
  const opened = {
    state: "open",
    since: state.now(),
    openUntil: openUntil(state, openings),
  } as const;
  put(state, { ...breaker, ...opened, openings, reason });
  return true;
}

function again(state: StoreState, breaker: StoredBreaker, reason: string): void {
  const openings = breaker.openings + 1;
  const opened = {
    state: "open",
    since: state.now(),
    openUntil: openUntil(state, openings),
  } as const;
  put(state, { ...breaker, ...opened, openings, reason, probe: null });
}

const close = (state: StoreState, breaker: StoredBreaker, reason: string): void =>
  put(state, {
    ...breaker,
    state: "closed",
    since: state.now(),
    openUntil: null,
    openings: 0,
    reason,
    probe: null,
  });

function hold(state: StoreState, { service, reason }: BreakerRequest): boolean {
  const breaker = breakerOf(state, service);
  if (breaker.openUntil === Number.POSITIVE_INFINITY) return false;
  const since = breaker.state === "open" ? breaker.since : state.now();
  const held = { state: "open", since, openUntil: Number.POSITIVE_INFINITY } as const;
  put(state, { ...breaker, ...held, reason, probe: null });
  return true;
}

function found(state: StoreState): readonly Breaker[] {
  const now = state.now();
  return [...state.breakers.values()]
    .filter(
      (breaker) =>
        breaker.state !== "closed" ||
        breaker.since > now - minute ||
        (breaker.throttledUntil ?? 0) > now - minute,
    )
    .map(({ service, state: stands, reason, since, openUntil: until, throttledUntil }) => ({
      service,
      state: stands,
      reason,
      held: until === Number.POSITIVE_INFINITY,
      openFor: until === null || until === Number.POSITIVE_INFINITY ? null : until - now,
      throttledFor: throttledUntil === null ? null : throttledUntil - now,
      age: now - since,
    }));
}

function claimProbe(state: StoreState, { service, lanes, ...options }: ProbeOptions) {
  const breaker = state.breakers.get(service);
  const isDue =
    breaker !== undefined &&
    breaker.state !== "closed" &&
    (breaker.openUntil ?? 0) <= state.now() &&
    !isThrottled(state, breaker) &&
    !isInFlight(state, breaker.probe);
  if (!isDue) return null;
  for (const lane of lanes) {
    const [claim] = claimDueSteps(state, { ...options, capacity: [{ ...lane, slots: 1 }] });
    if (claim === undefined) continue;
    const { taskId, name: step, token } = claim;
    const since = breaker.state === "half-open" ? breaker.since : state.now();
    const probe = { taskId, step, token };
    put(state, { ...breaker, state: "half-open", since, openUntil: null, probe });
    for (const watcher of state.watchers) watcher.probed?.(service, probe);
    return claim;
  }
  return null;
}

function isInFlight({ tasks }: StoreState, probe: Probe | null): boolean {
  if (probe === null) return false;
  const step = tasks.get(probe.taskId)?.task.steps.get(probe.step);
  return step?.processState === "processing" && step.token === probe.token;
}
