import type { Metrics } from "@holdfast/runtime";
import type { Outcome } from "../attempt/attempt-step.ts";
import { agentMetrics } from "./agent-metrics.ts";

/** Counts the outcome of one attempt, and how long it took; null: there was none at the deadline. */
export type MeasureAttempt = (outcome: Outcome | null, ms: number) => void;

export function measureAttempts(agent: string, metrics: Metrics): MeasureAttempt {
  const attempts = metrics.counter(agentMetrics.attempts);
  const duration = metrics.histogram(agentMetrics.duration);
  return (outcome, ms) => {
    attempts(1, agent, nameOf(outcome));
    duration(ms / 1_000, agent);
  };
}

function nameOf(outcome: Outcome | null): string {
  if (outcome === null) return "abandoned";
  if (outcome.kind !== "failed") return outcome.kind;
  if (outcome.attempted === false) return "refused";
  return outcome.transient ? "transient" : "permanent";
}
