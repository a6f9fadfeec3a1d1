/** How a call is tried again. Durations are milliseconds. */
export interface RetryOptions {
  /**
   * Milliseconds in which a call ends, repetitions and all, besides the time for which it asks the
   * service to wait; 0: it is tried once. 30 s unless said otherwise.
   */
  readonly retryFor?: number;
  /**
   * Milliseconds for one attempt, besides the time for which it asks the service to wait. A third
   * of `retryFor`, and at most 10 s, unless said otherwise: a server that is silent is asked again.
   * A request that must not be repeated has all of `retryFor`.
   */
  readonly timeout?: number;
}

/** The times of a call, in milliseconds. */
export interface Limits {
  /** When it has to have ended: measured from its begin. */
  readonly whole: number;
  /** The longest time of one attempt. */
  readonly attempt: number;
  /** The time until which it may be tried once more: measured from its begin. */
  readonly again: number;
}

export const usualRetryFor = 30_000;
const longestAttempt = 10_000;
const shortestAttempt = 1_000;

interface Asked {
  /** Whether the call may be repeated after silence. */
  readonly isSafe: boolean;
  /** Milliseconds for which the service may take its time, as it was asked to. */
  readonly takes: number;
}

/** The limits of a call. */
export function limitsOf(
  { retryFor = usualRetryFor, timeout }: RetryOptions,
  { isSafe, takes }: Asked,
): Limits {
  if (retryFor === 0) {
    const once = (timeout ?? longestAttempt) + takes;
    return { whole: once, attempt: once, again: 0 };
  }
  const share = Math.max(shortestAttempt, Math.min(longestAttempt, retryFor / 3));
  const attempt = timeout ?? (isSafe ? share : retryFor);
  return { whole: retryFor + takes, attempt: attempt + takes, again: retryFor + takes };
}

/** Throws a `RangeError` for options with which a call would never end, or never begin. */
export function mustBeTimes({ retryFor, timeout }: RetryOptions): void {
  for (const [name, ms] of Object.entries({ retryFor, timeout })) {
    if (ms === undefined || ms >= 0) continue;
    throw new RangeError(`${name} is ${ms}: give milliseconds, such as 30000`);
  }
}

/** Nothing came in the time that there was. */
export class Late extends Error {}

/** The longest delay of a timer. */
const longestTimer = 2 ** 31 - 1;

/**
 * What `work` resolves to, within a time; its signal is aborted with that of the caller, and once
 * the time is over.
 */
export async function within<T>(
  ms: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = (reason: unknown): void => {
    stop.abort(reason);
    reject(reason);
  };
  const abort = (): void => end(signal?.reason);
  if (signal?.aborted === true) stop.abort(signal.reason);
  signal?.addEventListener("abort", abort, { once: true });
  const timer = ms <= longestTimer ? setTimeout(() => end(new Late(inSeconds(ms))), ms) : undefined;
  try {
    // What does not heed the signal, such as a `fetch` of the caller's own, is not waited for.
    return await Promise.race([work(stop.signal), ended]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

/** Milliseconds in words. */
export const inSeconds = (ms: number): string => `${Number((ms / 1_000).toFixed(1))} s`;

const first = 200;
const longest = 5_000;

/**
 * Half of a delay that doubles, and a random part of the other half: clients that failed together
 * come apart.
 */
export const backoff = (attempt: number, random: () => number = Math.random): number => {
  const whole = Math.min(first * 2 ** attempt, longest);
  return whole / 2 + (random() * whole) / 2;
};

/** The milliseconds that an answer asks to wait; null: it does not say. Seconds, or an instant. */
export function retryAfter(header: string | null, now = Date.now()): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

/** Resolves after a while, or rejects as soon as the signal is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    if (signal?.aborted === true) return reject(signal.reason);
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
