import { describe, expect, test } from "@jest/globals";
import { batchCalls } from "./batch-calls.ts";

/** A handler that doubles numbers when the test lets it. */
function doubler() {
  const calls: (readonly number[])[] = [];
  let release = Promise.withResolvers<void>();
  return {
    calls,
    release: (): void => {
      release.resolve();
      release = Promise.withResolvers<void>();
    },
    handle: async (items: readonly number[]): Promise<readonly number[]> => {
      calls.push(items);
      await release.promise;
      if (items.includes(13)) throw new Error("unlucky");
      return items.map((item) => item * 2);
    },
  };
}

const roomy = { maxWaiting: { items: 100, bytes: 1_000 }, timeout: 1_000 };
const refused = { code: "request.overload", transient: true };

/** A gatherer whose items are a byte each. */
function doubling(options: Partial<Parameters<typeof batchCalls>[1]> & { readonly max: number }) {
  const work = doubler();
  const gathered = batchCalls(work.handle, { ...roomy, ...options });
  return { ...work, gathered, double: (item: number) => gathered.add(item, 1).result };
}

/** Time that passes when the test says so. */
function testClock() {
  let now = 0;
  let timers: { readonly at: number; readonly act: () => void }[] = [];
  return {
    now: () => now,
    after(ms: number, act: () => void) {
      const timer = { at: now + ms, act };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    pass(ms: number) {
      now += ms;
      const due = timers.filter(({ at }) => at <= now);
      timers = timers.filter(({ at }) => at > now);
      for (const { act } of due) act();
    },
    get timers() {
      return timers.length;
    },
  };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test("a lone item is sent at once", async () => {
  const { calls, release, double } = doubling({ max: 10 });
  const result = double(1);
  await settle();
  expect(calls).toEqual([[1]]);
  release();
  expect(await result).toBe(2);
});

test("a call begins when the clock says so, with all that came until then", async () => {
  const clock = testClock();
  const { calls, release, double } = doubling({ max: 10, clock });
  const both = Promise.all([double(1), double(2)]);
  await settle();
  expect(calls).toEqual([]);
  clock.pass(0);
  expect(calls).toEqual([[1, 2]]);
  release();
  expect(await both).toEqual([2, 4]);
});

test("items that arrive during a call go together into the next call, at most `max` of them", async () => {
  const { calls, release, double } = doubling({ max: 2 });
  const first = double(1);
  await settle();
  const others = [2, 3, 4].map(double);
  release();
  await first;
  await settle();
  expect(calls).toEqual([[1], [2, 3]]);
  release();
  await settle();
  release();
  expect(await Promise.all(others)).toEqual([4, 6, 8]);
  expect(calls).toEqual([[1], [2, 3], [4]]);
});

test("a call that fails fails its own items and no others", async () => {
  const { release, double } = doubling({ max: 2 });
  const unlucky = [12, 13].map(double);
  const lucky = double(1);
  await settle();
  release();
  const results = await Promise.allSettled(unlucky);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await settle();
  release();
  expect(await lucky).toBe(2);
});

describe("the queue of waiting items is bounded", () => {
  test.each([
    ["in number", { items: 2, bytes: 1_000 }],
    ["in bytes", { items: 100, bytes: 2 }],
  ])(
    "%s: a further item is refused at once, and taken when there is room again",
    async (_, maxWaiting) => {
      const { calls, release, double, gathered } = doubling({ max: 2, maxWaiting });
      const first = double(1);
      await settle();
      const waiting = [2, 3].map(double);
      expect(gathered.isFull).toBe(true);
      await expect(double(4)).rejects.toMatchObject(refused);
      release();
      await first;
      await settle();
      expect(gathered.isFull).toBe(false);
      const last = double(5);
      release();
      await settle();
      release();
      expect(await Promise.all([...waiting, last])).toEqual([4, 6, 10]);
      expect(calls).toEqual([[1], [2, 3], [5]]);
    },
  );

  test("in time: an item that waited too long is refused, and is in no call", async () => {
    const clock = testClock();
    const { calls, release, double } = doubling({ max: 1, timeout: 100, clock });
    const first = double(1);
    clock.pass(0);
    const early = double(2);
    clock.pass(60);
    const late = double(3);
    clock.pass(40);
    await expect(early).rejects.toMatchObject(refused);
    release();
    await first;
    await settle();
    release();
    expect(await late).toBe(6);
    expect(calls).toEqual([[1], [3]]);
    expect(clock.timers).toBe(0);
  });

  test("an item that is withdrawn frees its place, and is in no call", async () => {
    const { calls, release, double, gathered } = doubling({
      max: 1,
      maxWaiting: { items: 1, bytes: 1_000 },
    });
    const first = double(1);
    await settle();
    const { result, withdraw } = gathered.add(2, 1);
    withdraw();
    withdraw();
    await expect(result).rejects.toMatchObject({ code: "request.withdrawn" });
    const other = double(3);
    release();
    await first;
    await settle();
    release();
    expect(await other).toBe(6);
    expect(calls).toEqual([[1], [3]]);
  });

  test("an item that a call contains can no longer be withdrawn", async () => {
    const { release, gathered } = doubling({ max: 1 });
    const { result, withdraw } = gathered.add(1, 1);
    await settle();
    withdraw();
    release();
    expect(await result).toBe(2);
  });
});
