import { setTimeout as sleep } from "node:timers/promises";
import type { BrokerOptions } from "../src/connect-broker.ts";

export const quiet: BrokerOptions["log"] = { warn: () => {}, error: () => {} };

/** Collects what arrives, and lets a test wait for it. */
export function inbox<T>() {
  const items: T[] = [];
  let arrived = Promise.withResolvers<void>();
  return {
    items: items as readonly T[],
    add(item: T): void {
      items.push(item);
      arrived.resolve();
      arrived = Promise.withResolvers<void>();
    },
    /** The first `count` items, once there are as many. */
    async first(count: number): Promise<readonly T[]> {
      while (items.length < count) await arrived.promise;
      return items.slice(0, count);
    },
  };
}

/**
 * Milliseconds. Longer than any test may take: it ends the loop of a test that Jest has given up.
 */
const longestWait = 300_000;

/** Asks every 20 ms until the answer is yes: for what no event reports. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + longestWait;
  while (!(await isSo())) {
    if (performance.now() > giveUpAt)
      throw new Error(`Not so within ${longestWait} ms: ${String(isSo)}`);
    await sleep(20);
  }
}
