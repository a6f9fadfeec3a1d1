/** How a call is tried again. Durations are milliseconds. */
export interface RetryOptions {
  /** Milliseconds of retries in all; 0: never. 30 s unless said otherwise. */
  readonly retryFor?: number;
}

const first = 200;
const longest = 5_000;

/** Half of a delay that doubles, and a random part of the other half: clients that failed together come apart. */
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
