import { expect, test } from "@jest/globals";
import { type Clock, sleep, systemClock } from "./clock.ts";

/** A clock that stands still, with what was asked of it. */
function stopped() {
  const due = new Map<() => void, number>();
  const clock: Clock = {
    now: () => 0,
    after(ms, act) {
      due.set(act, ms);
      return () => due.delete(act);
    },
  };
  return { clock, due };
}

test("a sleep ends when its time is over", async () => {
  const { clock, due } = stopped();
  const slept = sleep(clock, 40, new AbortController().signal);
  const [[ring, ms]] = [...due] as [[() => void, number]];
  expect(ms).toBe(40);
  ring();
  await slept;
});

test("a signal ends a sleep, and leaves no timer behind", async () => {
  const { clock, due } = stopped();
  const stop = new AbortController();
  const slept = sleep(clock, 40, stop.signal);
  stop.abort();
  await slept;
  expect(due.size).toBe(0);
});

test("a sleep ends at once if its signal has aborted already", async () => {
  const { clock, due } = stopped();
  await sleep(clock, 40, AbortSignal.abort());
  expect(due.size).toBe(0);
});

test("a timer of no time fires in the next turn of the event loop, and not after a millisecond", async () => {
  let isOver = false;
  let turn = 0;
  const count = (): void => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const waited: number[] = [];
  for (let time = 0; time < 50; time += 1) {
    await new Promise(setImmediate);
    const from = turn;
    await new Promise<void>((resolve) => void systemClock.after(0, resolve));
    waited.push(turn - from);
  }
  isOver = true;
  expect(Math.max(...waited)).toBe(1);
});

test("a cancelled timer does not fire, and one far in the future does not fire at once", async () => {
  const happened: string[] = [];
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const callOff = systemClock.after(1, () => happened.push("called off"));
  systemClock.after(0, () => happened.push("called off at once"))();
  const never = systemClock.after(2 ** 40, () => happened.push("far away"));
  callOff();
  systemClock.after(5, resolve);
  await over;
  never();
  expect(happened).toEqual([]);
});

test("a timer never fires before its time by the clock, fractions of milliseconds included", async () => {
  const early: number[] = [];
  for (let count = 0; count < 200; count += 1) {
    const ms = 1 + (count % 20) / 10;
    const due = systemClock.now() + ms;
    await new Promise<void>((resolve) => void systemClock.after(ms, resolve));
    const left = due - systemClock.now();
    if (left > 0) early.push(left);
  }
  expect(early).toEqual([]);
});
