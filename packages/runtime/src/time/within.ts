import { type Clock, sleep } from "./clock.ts";

/**
 * Waits for `work` for so many milliseconds at most, and leaves no timer behind. Rejects as `work`
 * does.
 */
export async function within(
  work: Promise<unknown>,
  ms: number,
  clock: Pick<Clock, "after">,
): Promise<void> {
  const waited = new AbortController();
  try {
    await Promise.race([work, sleep(clock, ms, waited.signal)]);
  } finally {
    waited.abort();
  }
}

/**
 * Waits for `work`, but no longer than until the signal aborts: then rejects with its reason.
 * `work` goes on.
 */
export async function unlessAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (signal === undefined) return await work;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const end = () => reject(signal.reason);
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}
