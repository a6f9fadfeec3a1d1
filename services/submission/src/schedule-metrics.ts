import { fireOutcomes } from "@holdfast/domain";
import type { MetricDefinitions } from "@holdfast/runtime";

/** What submission says of the schedules that it fires. */
export const scheduleMetrics = {
  fires: {
    kind: "counter",
    name: "holdfast_schedule_fires_total",
    help: "Instants of schedules that this process dealt with, by what became of them; those that fire by hand are not among them.",
    labels: { outcome: [...fireOutcomes] },
  },
} as const satisfies MetricDefinitions;
