import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as after } from "node:timers/promises";

/** The environment variable by which the processes of one run are known: each inherits it. */
export const runVariable = "HOLDFAST_OUTSIDE_RUN";

/** The commands of all processes that were started by a run and still live. Linux only. */
export function processesLeft(run: string): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => read(pid, "environ").includes(`${runVariable}=${run}`))
    .map((pid) => `${pid} ${read(pid, "cmdline").replaceAll("\0", " ")}`);
}

/**
 * The processes that are left once those have ended that end by themselves: the bash Agent's last
 * `sleep 1` outlives it.
 */
export async function processesThatStay(run: string): Promise<readonly string[]> {
  for (let left = 50; left > 0 && processesLeft(run).length > 0; left -= 1) await after(100);
  return processesLeft(run);
}

/** A process may end while it is looked at. */
function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
