import type { Clock, Logger } from "@holdfast/runtime";
import type { SchedulerStore } from "@holdfast/state-store";
import type { StepClaims } from "../claim/claim-steps.ts";
import type { Observer } from "../observer.ts";
import { areServicesDue, dueProbes, reportOf, serviceOfLane } from "../state/remotes.ts";
import { nextWake } from "../state/scheduler-state.ts";

interface RemoteDependencies extends Observer {
  readonly store: Pick<
    SchedulerStore,
    | "endProbes"
    | "findAgentServices"
    | "findBreakers"
    | "findBrokenServices"
    | "openBreakers"
    | "throttleServices"
  >;
  readonly claims: Pick<StepClaims, "probe">;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
  readonly actor: string;
  /** Has alerts sent. */
  readonly notify: () => void;
}

/**
 * One round of keeping load away from remote services that fail or ask to be left alone: writes
 * down what replies and heartbeats show, reads the breakers, and probes. The breaker of each
 * service is in the state store, so all Schedulers act alike: while it is open, no step of its
 * Agents is claimed but one probe. Resolves to the delay until the next round.
 */
export function guardRemotes(deps: RemoteDependencies): () => Promise<number> {
  const { state, see, store, claims, clock } = deps;
  const { admission, remotes } = state;
  return async () => {
    if (areServicesDue(remotes, clock.now())) {
      see({ kind: "services", found: await store.findAgentServices() });
    }
    await writeReport(deps);
    see({ kind: "breakers", found: await store.findBreakers() });
    for (const service of dueProbes(remotes, clock.now())) {
      const ofService = admission.lanes.filter((lane) => serviceOfLane(remotes, lane) === service);
      if (!(await claims.probe(service, ofService))) see({ kind: "noProbe", service });
    }
    return nextWake(state, "remotes", clock.now());
  };
}

/** Writes down what replies and heartbeats show of remote services. */
async function writeReport({
  state,
  see,
  store,
  log,
  actor,
  notify,
}: RemoteDependencies): Promise<void> {
  const report = reportOf(state.remotes);
  const { failing, throttles, outcomes } = report;
  if (throttles.length > 0) await store.throttleServices({ throttles, actor });
  if (outcomes.length > 0) await store.endProbes({ outcomes, actor });
  const broken = (await store.findBrokenServices()).map(({ service, instances }) => ({
    service,
    reason: `${instances === 1 ? "The one instance" : `All ${instances} instances`} of its Agents have opened their circuits`,
  }));
  const services = [...new Map([...failing, ...broken].map((one) => [one.service, one])).values()];
  if (services.length > 0 && (await store.openBreakers({ services, actor })) > 0) {
    log.error({ services }, "circuit breaker opened");
    notify();
  }
  see({ kind: "reported", report });
}
