import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "@holdfast/load";

export interface SubmissionSeen {
  /** The most memory that it had resident, in MiB. Linux only: zero elsewhere. */
  readonly mostMemory: number;
  readonly probes: number;
  /** Probes that were not answered with 200. */
  readonly failedProbes: number;
  readonly p99Probe: number;
}

/** Milliseconds between two looks. */
const interval = 200;

/** Watches the memory of submission and asks both of its probes, until `work` is done. */
export async function watchSubmission<T>(
  { url, pid }: { readonly url: string; readonly pid: number },
  work: () => Promise<T>,
): Promise<readonly [T, SubmissionSeen]> {
  const memory: number[] = [];
  const times: number[] = [];
  let failedProbes = 0;
  const probe = async (path: string): Promise<void> => {
    const startedAt = performance.now();
    const isWell = await fetch(`${url}/health/${path}`).then(
      ({ ok }) => ok,
      () => false,
    );
    times.push(performance.now() - startedAt);
    if (!isWell) failedProbes += 1;
  };
  const done = new AbortController();
  const watch = async (): Promise<void> => {
    while (!done.signal.aborted) {
      memory.push(residentMemory(pid));
      await Promise.all([probe("live"), probe("ready")]);
      await sleep(interval, undefined, { signal: done.signal }).catch(() => {});
    }
  };
  const watching = watch();
  try {
    const result = await work();
    return [
      result,
      {
        mostMemory: Math.max(...memory),
        probes: times.length,
        failedProbes,
        p99Probe: percentile(times, 0.99),
      },
    ];
  } finally {
    done.abort();
    await watching;
  }
}

/** The resident memory of a process in MiB. */
export function residentMemory(pid: number): number {
  try {
    const [, kilobytes] =
      /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Math.round(Number(kilobytes ?? 0) / 1_024);
  } catch {
    return 0;
  }
}
