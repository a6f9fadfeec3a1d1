import { expect, test } from "@jest/globals";
import { parseDuration } from "./duration.ts";

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
