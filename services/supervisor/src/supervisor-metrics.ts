import type { MetricDefinitions } from "@holdfast/runtime";

/** What a Supervisor says of its work. */
export const supervisorMetrics = {
  scans: {
    kind: "counter",
    name: "holdfast_supervisor_scans_total",
    help: "Scans for steps and tasks whose limit has passed.",
  },
  recoveries: {
    kind: "counter",
    name: "holdfast_supervisor_recoveries_total",
    help: "Steps without a reply in time, and tasks whose limit has passed, to which this Supervisor applied a remedy, by the name that the history has for it.",
    labels: { action: ["retry", "coolDown", "requeue", "fail", "cancel", "undo"] },
  },
  replanned: {
    kind: "counter",
    name: "holdfast_supervisor_replanned_tasks_total",
    help: "Tasks that waited for nothing and were planned anew: there should never be any.",
  },
} as const satisfies MetricDefinitions;
