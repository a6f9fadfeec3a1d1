import { setTimeout as sleep } from "node:timers/promises";
import type { Observation } from "../checker/evidence.ts";

interface Options {
  readonly observer: string;
  readonly urls: () => readonly string[];
  /** An order to ask about; null: there is none yet. */
  readonly choose: () => string | null;
  readonly record: (observation: Observation) => void;
  readonly signal: AbortSignal;
}

/** Milliseconds. */
const interval = 100;
const timeout = 5_000;
/** How often one order is asked about before another one is chosen. */
const looks = 5;

/**
 * Asks how an order stands, a few times, and then another one, as a customer's application would.
 */
export async function pollOrders({
  observer,
  urls,
  choose,
  record,
  signal,
}: Options): Promise<void> {
  while (!signal.aborted) {
    const taskId = choose();
    for (let look = 0; look < looks; look += 1) {
      const seen = taskId === null ? null : await ask(urls(), taskId);
      if (seen !== null && taskId !== null) record({ at: Date.now(), observer, taskId, ...seen });
      await sleep(interval, undefined, { signal }).catch(() => {});
    }
  }
}

async function ask(
  urls: readonly string[],
  taskId: string,
): Promise<Pick<Observation, "state" | "version"> | null> {
  const url = urls[Math.floor(Math.random() * urls.length)];
  if (url === undefined) return null;
  try {
    const signal = AbortSignal.timeout(timeout);
    const response = await fetch(`${url}/v1/tasks/${taskId}`, { signal });
    if (response.status !== 200) return null;
    const { state, version } = (await response.json()) as { state: string; version: number };
    return { state, version };
  } catch {
    return null;
  }
}
