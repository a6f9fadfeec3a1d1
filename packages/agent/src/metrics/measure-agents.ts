import type { Metrics, Reading } from "@holdfast/runtime";
import type { ServedAgent } from "../serve/serve-agent.ts";
import { agentMetrics } from "./agent-metrics.ts";

const circuitStates = { closed: 0, "half-open": 1, open: 2 } as const;

/** Exposes the slots and the circuit of each Agent. */
export function measureAgents(
  served: readonly Pick<ServedAgent, "name" | "concurrency" | "health">[],
  metrics: Metrics,
): void {
  const each = (read: (one: (typeof served)[number]) => number) => (): readonly Reading[] =>
    served.map((one) => [read(one), one.name]);
  metrics.read(
    agentMetrics.slots,
    each(({ concurrency }) => concurrency),
  );
  metrics.read(
    agentMetrics.busySlots,
    each(({ health }) => health().busy),
  );
  metrics.read(
    agentMetrics.circuit,
    each(({ health }) => circuitStates[health().breaker]),
  );
}
