import { setTimeout as sleep } from "node:timers/promises";

/**
 * Milliseconds. Longer than any test may take: it ends the loop of a test that Jest has given up.
 */
const longestWait = 60_000;

/** Asks every 20 ms until the answer is yes, for what no event reports. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + longestWait;
  while (!(await isSo())) {
    if (performance.now() > giveUpAt) throw new Error(`Not so within ${longestWait} ms`);
    await sleep(20);
  }
}
