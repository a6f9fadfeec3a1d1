import type { StepReply } from "@holdfast/contracts";
import { areaOf, isFaultArea } from "@holdfast/domain";
import type { Metrics, Reading } from "@holdfast/runtime";
import type { AgentLoad } from "../state/allowances.ts";
import { schedulerMetrics } from "./scheduler-metrics.ts";

/**
 * What the loops and consumers of a Scheduler count. Names from messages are counted under `other`
 * unless they are known.
 */
export interface SchedulerMeasures {
  readonly claimed: (claims: readonly { readonly agent: string }[]) => void;
  readonly replied: (agent: string, outcome: StepReply["outcome"]) => void;
  readonly rejected: (reason: string, replies?: number) => void;
  readonly resent: (requests: number) => void;
  readonly returned: (agent: string, reason: string) => void;
}

const other = "other";

/** `isAgent`: whether a stored workflow names an Agent of that name. */
export function schedulerMeasures(
  metrics: Metrics,
  isAgent: (name: string) => boolean,
): SchedulerMeasures {
  const claimed = metrics.counter(schedulerMetrics.claimed);
  const claimBatch = metrics.histogram(schedulerMetrics.claimBatch);
  const replies = metrics.counter(schedulerMetrics.replies);
  const faults = metrics.counter(schedulerMetrics.faults);
  const rejected = metrics.counter(schedulerMetrics.rejected);
  const resent = metrics.counter(schedulerMetrics.resent);
  const returned = metrics.counter(schedulerMetrics.returned);
  const known = (agent: string): string => (isAgent(agent) ? agent : other);
  const faultArea = (code: string): string => {
    const area = areaOf(code);
    return isFaultArea(area) || isAgent(area) ? area : other;
  };
  return {
    claimed(claims) {
      if (claims.length === 0) return;
      claimBatch(claims.length);
      for (const { agent } of claims) claimed(1, agent);
    },
    replied(agent, outcome) {
      replies(1, known(agent), outcomeOf(outcome));
      if (outcome.kind === "failed") faults(1, faultArea(outcome.code));
    },
    rejected: (reason, count = 1) => rejected(count, reason),
    resent: (requests) => resent(requests),
    returned: (agent, reason) => returned(1, known(agent), reason),
  };
}

function outcomeOf(outcome: StepReply["outcome"]): string {
  if (outcome.kind !== "failed") return outcome.kind;
  if (outcome.attempted === false) return "refused";
  return outcome.transient ? "transient" : "permanent";
}

/** Exposes the steps in flight of each Agent, and their limit, as this Scheduler knows them. */
export function exposeLoads(metrics: Metrics, loads: () => readonly AgentLoad[]): void {
  const each = (value: (load: AgentLoad) => number) => (): readonly Reading[] =>
    loads().map((load) => [value(load), load.agent]);
  metrics.read(
    schedulerMetrics.inFlight,
    each(({ inFlight }) => inFlight),
  );
  metrics.read(
    schedulerMetrics.ownInFlight,
    each(({ own }) => own),
  );
  metrics.read(
    schedulerMetrics.limit,
    each(({ limit }) => limit),
  );
}
