import { expect, test } from "@jest/globals";
import { onceAtATime } from "./once-at-a-time.ts";

test("a look is shared by all who ask meanwhile and soon afterwards, and made anew after that", async () => {
  let looks = 0;
  let now = 0;
  const look = onceAtATime(async () => ++looks, { keepFor: 5_000, clock: () => now });
  expect(await Promise.all([look(), look(), look()])).toEqual([1, 1, 1]);
  now = 4_999;
  expect(await look()).toBe(1);
  now = 5_000;
  expect(await look()).toBe(2);
});

test("a look that failed is not kept", async () => {
  let looks = 0;
  const look = onceAtATime(
    async () => {
      looks += 1;
      if (looks === 1) throw new Error("away");
      return looks;
    },
    { keepFor: 5_000 },
  );
  await expect(look()).rejects.toThrow("away");
  expect(await look()).toBe(2);
});
