import { expect, test } from "@jest/globals";
import { scanWindow } from "./scan-window.ts";

const ever = Number.NEGATIVE_INFINITY;

test("a scan starts at the beginning each time while that is cheap, however long it took", () => {
  const looks = scanWindow(() => 0);
  expect(looks.saw({ passed: 4_999, took: 1_000, now: 50_000 })).toBe(ever);
  expect(looks.since()).toBe(ever);
});

test("after an expensive scan, only new steps are searched, for nine times as long as the scan took", () => {
  let now = 0;
  const looks = scanWindow(() => now);
  expect(looks.saw({ passed: 5_000, took: 100, now: 50_000 })).toBe(48_000);
  now = 899;
  expect(looks.since()).toBe(48_000);
  now = 900;
  expect(looks.since()).toBe(ever);
});
