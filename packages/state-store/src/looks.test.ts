import { expect, test } from "@jest/globals";
import { pastLooks } from "./looks.ts";

const ever = Number.NEGATIVE_INFINITY;

test("begins at the beginning each time while that is cheap, however long it took", () => {
  const looks = pastLooks(() => 0);
  expect(looks.saw({ passed: 4_999, took: 1_000, now: 50_000 })).toBe(ever);
  expect(looks.since()).toBe(ever);
});

test("after it has passed over a crowd it looks for what is new, nine times as long as that took", () => {
  let now = 0;
  const looks = pastLooks(() => now);
  expect(looks.saw({ passed: 5_000, took: 100, now: 50_000 })).toBe(48_000);
  now = 899;
  expect(looks.since()).toBe(48_000);
  now = 900;
  expect(looks.since()).toBe(ever);
});
