import { type Clock, sleep } from "./clock.ts";

/** Waits for `work` for so many milliseconds at most, and leaves no timer behind. Rejects as `work` does. */
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
