import type { MetricDefinitions } from "@holdfast/runtime";

const agent = { most: 100 };

/** What every process that runs Agents says of them. */
export const agentMetrics = {
  attempts: {
    kind: "counter",
    name: "holdfast_agent_attempts_total",
    help: "Requests that an Agent of this process has answered, or left without an answer at their deadline (`abandoned`).",
    labels: {
      agent,
      outcome: ["completed", "transient", "permanent", "refused", "stopped", "abandoned"],
    },
  },
  duration: {
    kind: "histogram",
    name: "holdfast_agent_attempt_duration_seconds",
    help: "Time from receiving a request until its handler's outcome, the wait for a slot and retries within the attempt included.",
    labels: { agent },
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  slots: {
    kind: "gauge",
    name: "holdfast_agent_slots",
    help: "Requests that an Agent of this process performs at the same time.",
    labels: { agent },
  },
  busySlots: {
    kind: "gauge",
    name: "holdfast_agent_busy_slots",
    help: "Slots that are taken.",
    labels: { agent },
  },
  circuit: {
    kind: "gauge",
    name: "holdfast_agent_circuit_state",
    help: "The circuit breaker of an Agent of this process: 0 closed, 1 half-open, 2 open.",
    labels: { agent },
  },
} as const satisfies MetricDefinitions;
