import { mkdir, writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { join } from "node:path";
import { rounded } from "@holdfast/load";
import { holdfastFolder, startLocalStack } from "@holdfast/local-stack";
import { makeWalFiles } from "../flat/make-wal-files.ts";
import type { BenchOptions } from "../options.ts";
import { settingOf } from "../setting.ts";
import { measureSchedules } from "./measure-schedules.ts";
import { measureSignals } from "./measure-signals.ts";
import { measureTimers } from "./measure-timers.ts";
import { measureWaits } from "./measure-waits.ts";
import { type PowerResult, report } from "./report.ts";

/** What is measured, in this order; `--only` chooses some of it. */
const names = ["waits", "timers", "signals", "schedules"] as const;

/**
 * Measures what steps cost that ask no Agent, and what they leave for the others; writes down what
 * came out, unless a part of it was asked for.
 */
export async function measurePower(
  options: BenchOptions,
  say: (line: string) => void,
): Promise<Readonly<Record<string, number>>> {
  const { only } = options;
  const wants = (name: (typeof names)[number]): boolean => only?.includes(name) ?? true;
  if (!names.some(wants)) throw new Error(`--only takes ${names.join(", ")}`);
  const load = rounded(loadavg()[0] ?? 0, 1);
  await using owner = new AsyncDisposableStack();
  const dataFolder = join(holdfastFolder(), "bench");
  const stack = owner.use(
    await startLocalStack({ purpose: "demo", dataFolder, fresh: true, log: say }),
  );
  const [serverUrl, brokerUrl] = [stack.postgres.url, stack.broker.url];
  await makeWalFiles(serverUrl);
  const context = { options, serverUrl, brokerUrl, say };
  const timers = wants("timers") ? await measureTimers(context) : null;
  const signals = wants("signals") ? await measureSignals(context) : null;
  const schedules = wants("schedules") ? await measureSchedules(context) : null;
  const waits = wants("waits") ? await measureWaits(context) : null;
  if (waits !== null && timers !== null && signals !== null && schedules !== null) {
    const { rounds } = options;
    const parts = { waits, timers, signals, schedules };
    const result = { ...(await settingOf(serverUrl)), load, rounds, ...parts };
    await writeDown(result, options.folder);
    say(report(result));
  }
  return {
    ...(waits === null
      ? {}
      : {
          claimWithWaits: waits.ratios.claimP99,
          idleWithWaits: rounded(waits.statementsRatio, 3),
        }),
    ...(timers === null ? {} : { timersPerSecond: Math.round(timers.perSecond) }),
    ...(signals === null
      ? {}
      : {
          signalP99: rounded(signals.p99, 1),
          signalsPerSecond: Math.round(signals.perSecond),
        }),
    ...(schedules === null ? {} : { schedulesFired: rounded(schedules.seconds, 2) }),
  };
}

async function writeDown(result: PowerResult, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "power.md"), report(result));
}
