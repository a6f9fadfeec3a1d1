import { exec } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { ConformanceOptions } from "./read-options.ts";
import type { RuleContext } from "./rule.ts";

const run = promisify(exec);
/** Milliseconds. */
const endsWithin = 30_000;
const look = 50;

/** How the Agent is stopped, as the options say. */
export function agentStopper({
  pid,
  stopCommand,
}: Pick<ConformanceOptions, "pid" | "stopCommand">): RuleContext["stopAgent"] {
  if (stopCommand !== null) {
    return () =>
      run(stopCommand, { timeout: endsWithin }).then(
        () => true,
        () => false,
      );
  }
  if (pid === null) return null;
  return async () => {
    process.kill(pid, "SIGTERM");
    for (const until = Date.now() + endsWithin; Date.now() < until; await sleep(look)) {
      if (!isRunning(pid)) return true;
    }
    return false;
  };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Counts effects with the command of the cases; null: there is none. */
export const effectCounter =
  (command: string | undefined): RuleContext["countEffects"] =>
  async (key) => {
    if (command === undefined) return null;
    const { stdout } = await run(command, {
      env: { ...process.env, KEY: key },
      timeout: endsWithin,
    });
    return Number(stdout.trim());
  };
