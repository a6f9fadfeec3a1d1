import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";

interface RepeatOptions {
  /** Stands in the logs. */
  readonly name: string;
  /** Ends the repetition; the round in hand is finished. */
  readonly signal: AbortSignal;
  readonly log: Pick<Logger, "error">;
}

export interface Repetition extends AsyncDisposable {
  /** Cuts the rest short. During a round it makes sure of another one right after it. */
  readonly wake: () => void;
  /** Resolves after the last round. */
  readonly ended: Promise<void>;
}

const shortestRetry = 100;
const longestRetry = 5_000;

/**
 * Does `work` over and over. It resolves to how long to rest until the next round, in milliseconds.
 * After an error the rest doubles from 100 ms to 5 s. No wake-up is ever missed.
 */
export function repeat(
  work: () => Promise<number>,
  { name, signal, log }: RepeatOptions,
): Repetition {
  const stop = new AbortController();
  const stopping = AbortSignal.any([signal, stop.signal]);
  let woken = false;
  const wasWoken = () => woken;
  let rest: AbortController | null = null;
  let failures = 0;

  const round = async (): Promise<number> => {
    try {
      const ms = await work();
      failures = 0;
      return ms;
    } catch (err) {
      log.error({ err, round: name }, "round failed");
      failures += 1;
      return Math.min(longestRetry, shortestRetry * 2 ** (failures - 1));
    }
  };

  const run = async (): Promise<void> => {
    while (!stopping.aborted) {
      woken = false;
      const ms = await round();
      // After an error nobody's hint cuts the rest short: it is what lets the other side recover.
      if (ms <= 0 || (wasWoken() && failures === 0)) continue;
      rest = new AbortController();
      const over = AbortSignal.any([stopping, rest.signal]);
      await sleep(ms, undefined, { signal: over }).catch(() => {});
      rest = null;
    }
  };

  const ended = run();
  return {
    ended,
    wake: () => {
      woken = true;
      if (failures === 0) rest?.abort();
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}
