import type { Clock } from "@holdfast/runtime";

/** Makes a clock for tests, whose time passes when the test says so. */
export function virtualClock(): Clock & { pass(ms: number): Promise<void> } {
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
        await new Promise(setImmediate);
      }
      now = end;
      await new Promise(setImmediate);
    },
  };
}
