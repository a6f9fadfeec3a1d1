import { expect, test } from "@jest/globals";
import { gather } from "./gather.ts";

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

const settle = () => new Promise((resolve) => setImmediate(resolve));

test("a lone item leaves at once", async () => {
  const { calls, handle, release } = doubler();
  const double = gather(handle, { max: 10 });
  const result = double(1);
  await settle();
  expect(calls).toEqual([[1]]);
  release();
  expect(await result).toBe(2);
});

test("what comes in during a call goes together into the next, at most `max` of it", async () => {
  const { calls, handle, release } = doubler();
  const double = gather(handle, { max: 2 });
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
  const { handle, release } = doubler();
  const double = gather(handle, { max: 2 });
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
