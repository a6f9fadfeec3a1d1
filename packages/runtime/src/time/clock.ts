/**
 * What a process knows of time: not what time it is, for hosts disagree about that. Handed to
 * whatever waits or measures, so that a test can own it.
 */
export interface Clock {
  /** Monotonic milliseconds from an unspecified origin. */
  now(): number;
  /**
   * Calls `act` once, after so many milliseconds by `now` and no sooner; after none in the next
   * turn. What it returns calls that off.
   */
  after(ms: number, act: () => void): () => void;
}

/** What a timer can hold, about 24 days. A longer one would fire at once. */
const longestTimer = 2 ** 31 - 1;

const timerOf = (act: () => void, ms: number): NodeJS.Timeout =>
  setTimeout(act, Math.min(Math.ceil(ms), longestTimer));

/** Time as the operating system has it. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, act) {
    // The shortest timer of Node is a millisecond, which a lone request would wait for nothing.
    if (ms <= 0) {
      const turn = setImmediate(act);
      return () => clearImmediate(turn);
    }
    // Node fires up to a millisecond early, and cuts off fractions: what waited would find that it
    // is not yet time.
    const due = performance.now() + ms;
    const actWhenDue = (): void => {
      const left = due - performance.now();
      if (left > 0) timer = timerOf(actWhenDue, left);
      else act();
    };
    let timer = timerOf(actWhenDue, ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves after so many milliseconds, or as soon as the signal aborts. */
export function sleep(clock: Pick<Clock, "after">, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  const wake = () => {
    cancel();
    resolve();
  };
  signal.addEventListener("abort", wake, { once: true });
  return promise.finally(() => signal.removeEventListener("abort", wake));
}
