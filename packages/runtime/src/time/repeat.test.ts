import { expect, test } from "@jest/globals";
import { repeat } from "./repeat.ts";

const hour = 3_600_000;

/** Work that a test lets go round by round. */
function rounds(rest: (round: number) => number | Error = () => hour) {
  const begun: number[] = [];
  let waiting = Promise.withResolvers<void>();
  const gates = new Map<number, Promise<void>>();
  return {
    get begun() {
      return begun.length;
    },
    hold(round: number): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      gates.set(round, promise);
      return resolve;
    },
    async reach(round: number): Promise<void> {
      while (begun.length < round) await waiting.promise;
    },
    async work(): Promise<number> {
      const round = begun.push(Date.now());
      waiting.resolve();
      waiting = Promise.withResolvers<void>();
      await gates.get(round);
      const result = rest(round);
      if (result instanceof Error) throw result;
      return result;
    },
  };
}

function start(work: () => Promise<number>) {
  const controller = new AbortController();
  const errors: object[] = [];
  const log = { error: (fields: object) => void errors.push(fields) };
  const repetition = repeat(work, { name: "test", signal: controller.signal, log });
  return { ...repetition, errors, repetition, stop: () => controller.abort() };
}

/** Lets everything run that is able to. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("repeat runs rounds without a pause while the work asks for more", async () => {
  const counted = rounds((round) => (round < 5 ? 0 : hour));
  const { stop, ended } = start(() => counted.work());
  await counted.reach(5);
  await settle();
  expect(counted.begun).toBe(5);
  stop();
  await ended;
});

test("a wake-up ends the pause between rounds", async () => {
  const counted = rounds();
  await using repetition = start(() => counted.work()).repetition;
  await settle();
  repetition.wake();
  await counted.reach(2);
  expect(counted.begun).toBe(2);
});

test("a wake-up during a round starts another round right after it", async () => {
  const counted = rounds();
  const finish = counted.hold(1);
  await using repetition = start(() => counted.work()).repetition;
  await counted.reach(1);
  repetition.wake();
  repetition.wake();
  finish();
  await counted.reach(2);
  await settle();
  expect(counted.begun).toBe(2);
});

test("repeat misses no wake-up, whenever it comes", async () => {
  const counted = rounds();
  await using repetition = start(() => counted.work()).repetition;
  for (let round = 1; round <= 200; round += 1) {
    // Somewhere between the beginning of this round and the end of its rest.
    for (let ticks = round % 7; ticks > 0; ticks -= 1) await Promise.resolve();
    repetition.wake();
    await counted.reach(round + 1);
  }
  expect(counted.begun).toBeGreaterThan(200);
});

test("repeat logs an error and goes on", async () => {
  const counted = rounds((round) => (round === 1 ? new Error("store is down") : hour));
  const { stop, ended, errors } = start(() => counted.work());
  await counted.reach(2);
  stop();
  await ended;
  expect(errors).toEqual([{ err: new Error("store is down"), round: "test", failures: 1 }]);
});

test("a wake-up does not shorten the pause after an error", async () => {
  const counted = rounds(() => new Error("store is down"));
  const { stop, ended, wake } = start(() => counted.work());
  await settle();
  wake();
  await settle();
  expect(counted.begun).toBe(1);
  stop();
  await ended;
});

test("a stopped repeat finishes its round, and begins no other", async () => {
  const counted = rounds(() => 0);
  const finish = counted.hold(1);
  const { stop, ended } = start(() => counted.work());
  await counted.reach(1);
  stop();
  const sooner = Promise.race([ended.then(() => "ended"), settle().then(() => "still at it")]);
  expect(await sooner).toBe("still at it");
  finish();
  await ended;
  expect(counted.begun).toBe(1);
});

test("repeat runs no round if it was stopped before", async () => {
  const counted = rounds();
  await repeat(() => counted.work(), {
    name: "test",
    signal: AbortSignal.abort(),
    log: { error: () => {} },
  }).ended;
  expect(counted.begun).toBe(0);
});

test("repeat ends during a pause when it is disposed of", async () => {
  const counted = rounds();
  const { repetition } = start(() => counted.work());
  await settle();
  await repetition[Symbol.asyncDispose]();
  repetition.wake();
  await settle();
  expect(counted.begun).toBe(1);
});
