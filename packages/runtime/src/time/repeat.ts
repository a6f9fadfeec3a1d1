import type { Logger } from "pino";
import { type Metrics, noMetrics } from "../metrics/metrics.ts";
import { processMetrics } from "../metrics/process-metrics.ts";
import { type Clock, systemClock } from "./clock.ts";
import { causeOf, failureLog } from "./failure-log.ts";

interface RepeatOptions {
  /** Stands in the logs. */
  readonly name: string;
  /** Ends the repetition; the current round is finished. */
  readonly signal: AbortSignal;
  /** Has some failures of a row, as `countFailure` says, and the end of the row. */
  readonly log: Pick<Logger, "error"> & Partial<Pick<Logger, "info">>;
  readonly clock?: Pick<Clock, "after">;
  /** What counts all failures; nothing unless given. */
  readonly metrics?: Metrics;
}

export interface Repetition extends AsyncDisposable {
  /** Cuts the rest short. During a round it makes sure of another one right after it. */
  readonly wake: () => void;
  /** Resolves after the last round. */
  readonly ended: Promise<void>;
}

const shortestRetry = 100;
const longestRetry = 1_000;

/**
 * Does `work` over and over. It resolves to how long to rest until the next round, in milliseconds.
 * After an error the rest doubles from 100 ms to 1 s. No wake-up is ever missed.
 */
export function repeat(
  work: () => Promise<number>,
  { name, signal, log, clock = systemClock, metrics = noMetrics }: RepeatOptions,
): Repetition {
  const failed = metrics.counter(processMetrics.roundFailures);
  const failureLines = failureLog();
  let stopped = false;
  const isStopping = () => stopped;
  let wakes = 0;
  let failures = 0;
  let endRest: (() => void) | null = null;

  const round = async (): Promise<number> => {
    try {
      const ms = await work();
      failures = 0;
      const run = failureLines.succeeded();
      if (run !== null) log.info?.({ round: name, ...run }, "round succeeded again");
      return ms;
    } catch (err) {
      failed(1, name);
      const count = failureLines.failed(causeOf(err));
      if (count !== null) log.error({ err, round: name, failures: count }, "round failed");
      failures += 1;
      return Math.min(longestRetry, shortestRetry * 2 ** (failures - 1));
    }
  };

  const rest = (ms: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = clock.after(ms, resolve);
    endRest = () => {
      cancel();
      resolve();
    };
    return promise;
  };

  const goOn = async (): Promise<void> => {
    while (!isStopping()) {
      const wakesBefore = wakes;
      const ms = await round();
      // After an error no wake-up cuts the delay short: it lets the other side recover.
      const isDue = ms <= 0 || (wakes > wakesBefore && failures === 0);
      if (!isDue && !isStopping()) await rest(ms);
    }
  };

  const stop = (): void => {
    stopped = true;
    endRest?.();
  };
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const ended = goOn().finally(() => signal.removeEventListener("abort", stop));
  return {
    ended,
    wake() {
      wakes += 1;
      if (failures === 0) endRest?.();
    },
    async [Symbol.asyncDispose]() {
      stop();
      await ended;
    },
  };
}
