import type { MetricDefinitions } from "./metrics.ts";

/** What every service says of its process. */
export const processMetrics = {
  build: {
    kind: "gauge",
    name: "holdfast_build_info",
    help: "Always 1; its labels say which release the process runs.",
    labels: { service_version: { most: 1 }, process_runtime_version: { most: 1 } },
  },
  up: {
    kind: "gauge",
    name: "holdfast_dependency_up",
    help: "Whether what the process needs is well: 1, or 0. The state store, the broker, its consumers.",
    labels: { dependency: { most: 10 } },
  },
  connectionAttempts: {
    kind: "counter",
    name: "holdfast_connection_attempts_total",
    help: "Attempts to connect to a server: `connected`, `away` when it could not be reached, `refused` when it refused the login.",
    labels: {
      dependency: ["broker", "state_store"],
      outcome: ["connected", "away", "refused"],
    },
  },
  publishersBlocked: {
    kind: "counter",
    name: "holdfast_publishers_blocked_total",
    help: "Connections on which the broker stopped to take messages, because it is short of memory or disk.",
    labels: { dependency: ["broker"] },
  },
  roundFailures: {
    kind: "counter",
    name: "holdfast_round_failures_total",
    help: "Rounds of work in the background that failed, by the name that stands in the log.",
    labels: { round: { most: 40 } },
  },
  droppedLogLines: {
    kind: "counter",
    name: "holdfast_log_lines_dropped_total",
    help: "Lines of the log that were dropped, because what reads the standard output stood still.",
  },
  delayP50: {
    kind: "gauge",
    name: "nodejs_eventloop_delay_p50_seconds",
    help: "Delay of the event loop, 50th percentile of the last 10 to 20 seconds.",
  },
  delayP99: {
    kind: "gauge",
    name: "nodejs_eventloop_delay_p99_seconds",
    help: "Delay of the event loop, 99th percentile of the last 10 to 20 seconds.",
  },
  delayMax: {
    kind: "gauge",
    name: "nodejs_eventloop_delay_max_seconds",
    help: "Longest delay of the event loop in the last 10 to 20 seconds.",
  },
  loopTime: {
    kind: "counter",
    name: "nodejs_eventloop_time_seconds_total",
    help: "Time since the start of the process that the event loop was active or idle.",
    labels: { nodejs_eventloop_state: ["active", "idle"] },
  },
  cpu: {
    kind: "counter",
    name: "process_cpu_time_seconds_total",
    help: "Processor time since the start of the process.",
    labels: { cpu_mode: ["user", "system"] },
  },
  memory: {
    kind: "gauge",
    name: "process_memory_usage_bytes",
    help: "Resident memory of the process.",
  },
  heap: {
    kind: "gauge",
    name: "v8js_memory_heap_used_bytes",
    help: "Memory that JavaScript objects take.",
  },
  uptime: {
    kind: "gauge",
    name: "process_uptime_seconds",
    help: "Age of the process.",
  },
} as const satisfies MetricDefinitions;
