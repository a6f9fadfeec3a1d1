import type { Clock } from "@holdfast/runtime";

/** How many of the last ones count. */
const sample = 9;

/**
 * How long it usually takes from a claim to its reply. One claim at a time is watched until it is answered,
 * however long that takes: a sample of the replies that arrive would hold the quick ones only. What takes
 * longer than `longest` milliseconds is counted as that, and watched no more.
 */
export function replyTimes(clock: Pick<Clock, "now">, longest: number) {
  let watched: { readonly key: string; readonly claimedAt: number } | null = null;
  const times: number[] = [];
  let usual = 0;

  const end = (): void => {
    if (watched === null) return;
    times.push(Math.min(longest, clock.now() - watched.claimedAt));
    if (times.length > sample) times.shift();
    usual = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
    watched = null;
  };

  return {
    awaited(key: string, claimedAt: number): void {
      if (watched !== null && clock.now() - watched.claimedAt >= longest) end();
      watched ??= { key, claimedAt };
    },
    answered(key: string): void {
      if (watched?.key === key) end();
    },
    /** It was never asked for. */
    failed(key: string): void {
      if (watched?.key === key) watched = null;
    },
    /** The median, in milliseconds; 0: nothing is known yet. */
    usual: (): number => usual,
  };
}
