import type { ReportedTaskEvent } from "@holdfast/domain";
import type { Clock, Logger } from "@holdfast/runtime";
import type { AppliedEvents, ProbedLane, SchedulerStore } from "@holdfast/state-store";
import type { StepClaims } from "../claim/claim-steps.ts";
import { agentServices } from "./agent-services.ts";
import { breakerView } from "./breaker-view.ts";
import { type RemoteReports, remoteReports } from "./remote-reports.ts";
import { retryBudget } from "./retry-budget.ts";

interface Dependencies {
  readonly store: Pick<
    SchedulerStore,
    | "endProbes"
    | "findAgentServices"
    | "findBreakers"
    | "findBrokenServices"
    | "openBreakers"
    | "throttleServices"
  >;
  readonly clock: Clock;
  readonly log: Logger;
  readonly actor: string;
  /** Has the round begin now. */
  readonly wake: () => void;
}

interface RoundDependencies {
  readonly claims: Pick<StepClaims, "probe">;
  /** The lanes of all workflows. */
  readonly lanes: () => readonly string[];
  /** Chooses the Agent that a step of each lane would be asked of. */
  readonly choose: (lanes: readonly string[]) => readonly ProbedLane[];
  /** Has steps claimed that are released. */
  readonly wakeClaims: () => void;
  /** Has alerts sent. */
  readonly notify: () => void;
}

/** An Agent, and what it has reported of one attempt. */
interface RemoteEvent {
  readonly agent: string;
  readonly reportedEvent: ReportedTaskEvent;
}

interface Writing extends Pick<Dependencies, "store" | "log" | "actor"> {
  readonly reports: RemoteReports;
  readonly notify: () => void;
}

/** Writes down what replies and heartbeats show of remote services. */
async function writeReports({ store, log, actor, reports, notify }: Writing): Promise<void> {
  const report = reports.gathered();
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
  reports.written(report);
}

/**
 * Keeps load away from remote services that fail or ask to be left alone. The breaker of each service is in the
 * state store, so all Schedulers act alike: open, no step of its Agents is claimed but one probe.
 */
export function guardRemotes({ store, clock, log, actor, wake }: Dependencies) {
  const wrapped = agentServices({ store, clock });
  const serviceOf = (lane: string): string => wrapped.of(lane);
  const view = breakerView({ clock, serviceOf, onStale: wake });
  const reports = remoteReports({ view, clock });
  const budget = retryBudget(clock);
  let isClaimDue = false;

  return {
    limit: view.limit,
    /** Something is claimed: that needs to know the breakers. */
    used: () => view.used(),
    /** Has the breakers read, and then steps claimed. */
    lookAndClaim(): void {
      isClaimDue = true;
      wake();
    },
    /** Delays retries beyond the budget of their remote services. */
    spreadRetries: (received: readonly RemoteEvent[]): readonly ReportedTaskEvent[] =>
      received.map(({ agent, reportedEvent }) => ({
        ...reportedEvent,
        event: budget.spread(serviceOf(agent), reportedEvent.event),
      })),
    /** Learns from attempts whose end was recorded; one that was refused may be anybody's. */
    learn(received: readonly RemoteEvent[], { outcomes }: Pick<AppliedEvents, "outcomes">): void {
      received.forEach(({ agent, reportedEvent: { event } }, index) => {
        if (outcomes[index]?.applied !== true) return;
        reports.note(serviceOf(agent), event);
        if (event.kind === "completed") budget.answered(serviceOf(agent));
      });
      if (!reports.isEmpty()) wake();
    },
    /** One round: writes down what was learned, reads the breakers, and probes. Resolves to the delay until the next. */
    async round({ claims, lanes, choose, wakeClaims, notify }: RoundDependencies): Promise<number> {
      await wrapped.refresh();
      await writeReports({ store, log, actor, reports, notify });
      const isReleased = view.replace(await store.findBreakers());
      if (isReleased || isClaimDue) wakeClaims();
      isClaimDue = false;
      for (const service of view.dueProbes()) {
        const ofService = lanes().filter((lane) => serviceOf(lane) === service);
        const probed = await claims.probe({ service, lanes: choose(ofService) });
        if (!probed) view.deferProbe(service);
      }
      return view.nextLook();
    },
  };
}

export type RemoteGuard = ReturnType<typeof guardRemotes>;
