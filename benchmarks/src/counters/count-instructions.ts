import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

const event = "instructions:u";

/** Why instructions cannot be counted on this machine, or null if they can. */
export async function whyNotCounted(): Promise<string | null> {
  try {
    const output = await runPerf(["--", "true"], new AbortController().signal);
    return instructionsIn(output) === null ? `perf does not count ${event} here` : null;
  } catch (error) {
    return String(error);
  }
}

/**
 * Counts the instructions that a process and its threads execute in user mode, until it is asked
 * for the number.
 */
export function countInstructions(pid: number): () => Promise<number | null> {
  const ended = new AbortController();
  const output = runPerf([`--pid=${pid}`], ended.signal);
  return async () => {
    ended.abort();
    return instructionsIn(await output);
  };
}

/** Reads what `perf stat --field-separator=,` printed; null where nothing was counted. */
export function instructionsIn(output: string): number | null {
  const fields = output
    .split("\n")
    .map((line) => line.split(","))
    .find((line) => line[2] === event);
  const count = Number(fields?.[0] ?? Number.NaN);
  return Number.isFinite(count) ? count : null;
}

async function runPerf(target: readonly string[], ended: AbortSignal): Promise<string> {
  const args = ["stat", "--field-separator=,", `--event=${event}`, ...target];
  const perf = spawn("perf", args, { stdio: ["ignore", "ignore", "pipe"] });
  ended.addEventListener("abort", () => void perf.kill("SIGINT"));
  const [output] = await Promise.all([text(perf.stderr), once(perf, "exit")]);
  return output;
}
