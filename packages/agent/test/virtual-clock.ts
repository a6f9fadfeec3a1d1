import type { Clock } from "@holdfast/runtime";

/** Time for tests, which passes when the test says so. */
export interface VirtualClock extends Clock {
  pass(ms: number): Promise<void>;
}

export function virtualClock(): VirtualClock {
  let now = 0;
  let timers: { readonly at: number; readonly act: () => void }[] = [];
  return {
    now: () => now,
    after(ms, act) {
      const timer = { at: now + ms, act };
      timers.push(timer);
      return () => void (timers = timers.filter((other) => other !== timer));
    },
    async pass(ms) {
      const end = now + ms;
      for (;;) {
        const [next] = timers
          .filter(({ at }) => at <= end)
          .toSorted((one, other) => one.at - other.at);
        if (next === undefined) break;
        now = next.at;
        timers = timers.filter((timer) => timer !== next);
        next.act();
        await settled();
      }
      now = end;
      await settled();
    },
  };
}

/** What follows from a timer without waiting for another. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
}
