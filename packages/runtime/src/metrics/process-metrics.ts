import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import type { Health } from "../service/health.ts";
import { holdfastVersion } from "../service/version.ts";
import type { MetricDefinitions, Metrics } from "./metrics.ts";

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

/** Milliseconds between two samples of the delay. */
const resolution = 20;
/** Milliseconds that one histogram of delays covers. */
const window = 10_000;

/** Registers what every process measures. Disposing stops the sampling of the event loop. */
export function measureProcess(metrics: Metrics, health: Pick<Health, "checks">): Disposable {
  const { build, up, loopTime, cpu, memory, heap, uptime } = processMetrics;
  const version = holdfastVersion();
  metrics.read(build, () => [[1, version, process.version]]);

  let states: ReadonlyMap<string, boolean> = new Map();
  metrics.beforeScrape("health", async () => {
    states = await health.checks();
  });
  metrics.read(up, () =>
    [...states].map(([name, isWell]) => [isWell ? 1 : 0, name.replaceAll(" ", "_")]),
  );

  metrics.read(loopTime, () => {
    const { active, idle } = performance.eventLoopUtilization();
    return [
      [active / 1_000, "active"],
      [idle / 1_000, "idle"],
    ];
  });
  metrics.read(cpu, () => {
    const { user, system } = process.cpuUsage();
    return [
      [user / 1e6, "user"],
      [system / 1e6, "system"],
    ];
  });
  metrics.read(memory, () => [[process.memoryUsage.rss()]]);
  metrics.read(heap, () => [[process.memoryUsage().heapUsed]]);
  metrics.read(uptime, () => [[process.uptime()]]);
  return measureDelay(metrics);
}

/** Two histograms take turns, so that a second scraper resets nothing of the first. */
function measureDelay(metrics: Metrics): Disposable {
  let older = monitorEventLoopDelay({ resolution });
  let newer = monitorEventLoopDelay({ resolution });
  older.enable();
  newer.enable();
  const turn = setInterval(() => {
    older.reset();
    [older, newer] = [newer, older];
  }, window).unref();
  // It counts from timer to timer: the resolution is no delay.
  const seconds = (nanoseconds: number): number =>
    Math.max(0, nanoseconds / 1e9 - resolution / 1e3);
  metrics.read(processMetrics.delayP50, () => [[seconds(older.percentile(50))]]);
  metrics.read(processMetrics.delayP99, () => [[seconds(older.percentile(99))]]);
  metrics.read(processMetrics.delayMax, () => [[seconds(older.max)]]);
  return {
    [Symbol.dispose]() {
      clearInterval(turn);
      older.disable();
      newer.disable();
    },
  };
}
