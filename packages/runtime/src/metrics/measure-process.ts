import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import type { Health } from "../service/health.ts";
import { holdfastVersion } from "../service/version.ts";
import type { Metrics } from "./metrics.ts";
import { processMetrics } from "./process-metrics.ts";

/** Milliseconds between two samples of the delay. */
const resolution = 20;
/** Milliseconds that one histogram of delays covers. */
const sampledFor = 10_000;

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
  }, sampledFor).unref();
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
