import type { BreakerState, ProcessingStep, TaskEvent } from "@holdfast/domain";
import type { StoredTask, StoreWatcher } from "@holdfast/testing/simulator";
import type { World } from "./world.ts";

/** The attempt with which a breaker was tried last. */
interface Probe {
  readonly token: string;
  isInFlight: boolean;
}

interface KnownBreaker {
  state: BreakerState;
  since: number;
  probe: Probe | null;
  /** How many probes the remote service has answered since it closed last. */
  answered: number;
}

/**
 * The breaker may be tried once more, by a Scheduler that was quicker than the one that closes it.
 */
const mostAnswered = 2;
/** Milliseconds. Within that a Scheduler without faults has read that a breaker is open. */
const knownWithin = 2_000;

/**
 * Holds claims and probes against the breakers of remote services. In the simulation each Agent has
 * its own.
 */
export function judgeBreakers(world: World): StoreWatcher {
  const { timeline, accuse } = world;
  const breakers = new Map<string, KnownBreaker>();
  /**
   * A step that was claimed while its breaker was open: the next thing that happens must be that it
   * is the probe.
   */
  let suspect: ProcessingStep | null = null;

  const breakerOf = (service: string): KnownBreaker => {
    const known = breakers.get(service) ?? { state: "closed", since: 0, probe: null, answered: 0 };
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
    confirmed() {},
    resent() {},
    claimed(_, step) {
      judgeSuspect();
      const breaker = breakers.get(step.plan.agent);
      const isHeld = breaker !== undefined && breaker.state !== "closed";
      if (isHeld && world.isCalm && timeline.now - breaker.since > knownWithin) suspect = step;
    },
    decided(stored: StoredTask, reports) {
      judgeSuspect();
      for (const { reportedEvent } of reports)
        endProbe(breakers.values(), stored, reportedEvent.event);
    },
    probed(service, { taskId, step, token }) {
      if (suspect?.token === token) suspect = null;
      const breaker = breakerOf(service);
      const before = breaker.probe;
      if (before?.isInFlight === true) {
        accuse("one probe is in flight", () => `${taskId} ${step} beside another of ${service}`);
      }
      if (isHealthy() && breaker.answered > mostAnswered) {
        accuse("an answered probe closes its breaker", () => `that of ${service} is tried again`);
      }
      breaker.probe = { token, isInFlight: true };
    },
    breaker(service, state) {
      const known = breakerOf(service);
      if (known.state === "closed" && state !== "closed") known.since = timeline.now;
      known.state = state;
      if (state === "closed") {
        known.probe = null;
        known.answered = 0;
      }
    },
  };
}

/**
 * Notes that a probe is over, and whether the remote service answered it. A report that was refused
 * has ended nothing.
 */
function endProbe(all: Iterable<KnownBreaker>, { task }: StoredTask, event: TaskEvent): void {
  if (!("token" in event)) return;
  const breaker = [...all].find(({ probe }) => probe?.token === event.token);
  const step = task.steps.get(event.step);
  const isOver = step?.processState !== "processing" || step.token !== event.token;
  if (breaker?.probe?.isInFlight !== true || !isOver) return;
  breaker.probe.isInFlight = false;
  if (event.kind === "completed") breaker.answered += 1;
}
