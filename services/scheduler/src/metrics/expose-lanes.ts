import type { Metrics, Reading } from "@holdfast/runtime";
import { schedulerMetrics } from "./scheduler-metrics.ts";

/** What is known of the steps in flight of one Agent. */
export interface AgentLoad {
  readonly agent: string;
  readonly inFlight: number;
  readonly own: number;
  readonly limit: number;
}

/** Exposes the steps in flight of each Agent, and their limit, as this Scheduler knows them. */
export function exposeLanes(metrics: Metrics, loads: () => readonly AgentLoad[]): void {
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
