import { expect, test } from "@jest/globals";
import { duration } from "./duration.ts";

test.each([
  [0, "0 ms"],
  [1_999, "1999 ms"],
  [2_000, "2 s"],
  [119_000, "119 s"],
  [7_200_000, "2 h"],
  [172_800_000, "2 d"],
])("%i milliseconds are %s", (ms, text) => {
  expect(duration(ms)).toBe(text);
});
