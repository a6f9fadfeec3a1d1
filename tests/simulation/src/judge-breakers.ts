import type { BreakerState, ProcessingStep } from "@holdfast/domain";
import type { StoredTask, StoreWatcher } from "@holdfast/testing/simulator";
import type { World } from "./world.ts";

/** The attempt with which a breaker was tried last. */
interface Probe {
  readonly token: string;
  isInFlight: boolean;
  /** When the remote service answered it; null: not yet, or it failed. */
  answeredAt: number | null;
}

interface KnownBreaker {
  state: BreakerState;
  since: number;
  probe: Probe | null;
}

/** Milliseconds. Within that a Scheduler without faults has read that a breaker is open, and closes an answered one. */
const knownWithin = 1_500;

/** Holds claims and probes against the breakers of remote services. In the simulation each Agent has its own. */
export function judgeBreakers(world: World): StoreWatcher {
  const { timeline, accuse } = world;
  const breakers = new Map<string, KnownBreaker>();
  /** A step that was claimed while its breaker was open: the next thing that happens must be that it is the probe. */
  let suspect: ProcessingStep | null = null;

  const breakerOf = (service: string): KnownBreaker => {
    const known = breakers.get(service) ?? { state: "closed", since: 0, probe: null };
    breakers.set(service, known);
    return known;
  };
  const judgeSuspect = (): void => {
    if (suspect === null) return;
    const { plan } = suspect;
    accuse("an open breaker holds steps back", () => `${plan.name} of ${plan.agent} was claimed`);
    suspect = null;
  };
  const isHealthy = (): boolean => world.isCalm || world.healedAt !== null;

  return {
    submitted() {},
    marked() {},
    relayed() {},
    claimed(_, step) {
      judgeSuspect();
      const breaker = breakers.get(step.plan.agent);
      const isHeld = breaker !== undefined && breaker.state !== "closed";
      if (isHeld && world.isCalm && timeline.now - breaker.since > knownWithin) suspect = step;
    },
    decided(stored: StoredTask, reports) {
      judgeSuspect();
      for (const { event } of reports.map(({ reportedEvent }) => reportedEvent)) {
        if (!("token" in event)) continue;
        const probes = [...breakers.values()].map(({ probe }) => probe);
        const probe = probes.find((one) => one?.token === event.token);
        const step = "step" in event ? stored.task.steps.get(event.step) : undefined;
        if (probe === undefined || probe === null) continue;
        // A report that was refused has ended nothing.
        if (step?.processState === "processing" && step.token === probe.token) continue;
        probe.isInFlight = false;
        if (event.kind === "completed") probe.answeredAt ??= timeline.now;
      }
    },
    probed(service, { taskId, step, token }) {
      if (suspect?.token === token) suspect = null;
      const breaker = breakerOf(service);
      const before = breaker.probe;
      if (before?.isInFlight === true) {
        accuse("one probe is in flight", () => `${taskId} ${step} beside another of ${service}`);
      }
      const answeredAt = before?.answeredAt ?? null;
      if (isHealthy() && answeredAt !== null && timeline.now - answeredAt > knownWithin) {
        accuse("an answered probe closes its breaker", () => `that of ${service} is tried again`);
      }
      breaker.probe = { token, isInFlight: true, answeredAt: null };
    },
    breaker(service, state) {
      const known = breakerOf(service);
      if (known.state === "closed" && state !== "closed") known.since = timeline.now;
      known.state = state;
      if (state === "closed") known.probe = null;
    },
  };
}
