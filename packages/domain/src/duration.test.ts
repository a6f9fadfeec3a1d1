import { expect, test } from "@jest/globals";
import { distanceText, durationText, parseDuration } from "./duration.ts";

test.each([
  ["250ms", 250],
  ["30s", 30_000],
  ["5m", 300_000],
  ["2h", 7_200_000],
  ["1d", 86_400_000],
  ["0s", 0],
])("the duration %s has %d ms", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  "",
  "30",
  "s",
  "1.5s",
  "-1s",
  " 1s",
  "1 s",
  "1w",
  "1\n",
  "30S",
  "+1h",
  "0x1s",
  "1".repeat(13) + "s",
])('"%s" is no duration', (text) => {
  expect(parseDuration(text)).toBeNaN();
});

test.each([
  [0, "0 ms"],
  [1_999, "1999 ms"],
  [2_000, "2 s"],
  [119_000, "119 s"],
  [7_200_000, "2 h"],
  [172_800_000, "2 d"],
])("%i milliseconds are %s", (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

test.each([
  [10_000, "in 9 s"],
  [1_000, "in 0 ms"],
  [-599_000, "10 min ago"],
])("the instant %i is %s at 1000", (at, text) => {
  expect(distanceText(at, 1_000)).toBe(text);
});
