/** A clock for tests that stands still until a test says how much time passes. */
export function testClock() {
  let now = 0;
  const timers: { readonly at: number; readonly act: () => void }[] = [];
  return {
    now: () => now,
    after: (ms: number, act: () => void): (() => void) => {
      timers.push({ at: now + ms, act });
      return () => {};
    },
    pass: (ms: number): void => {
      const until = now + ms;
      for (;;) {
        timers.sort((a, b) => a.at - b.at);
        const [next] = timers;
        if (next === undefined || next.at > until) break;
        timers.shift();
        now = next.at;
        next.act();
      }
      now = until;
    },
  };
}
