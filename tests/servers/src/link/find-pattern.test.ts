import { expect, test } from "@jest/globals";
import { findPattern } from "./find-pattern.ts";

const commit = Buffer.from("commit");

test.each([
  [["commit"], true],
  [["a commit; begin"], true],
  [["com", "mit and more"], true],
  [["c", "o", "m", "m", "i", "t"], true],
  [["comcom", "mit"], true],
  [["rollback", "comma"], false],
  [["commit"].map((word) => word.toUpperCase()), false],
])("%j holds the pattern: %j", (chunks, holds) => {
  const finder = findPattern(commit);
  expect(chunks.some((chunk) => finder.feed(Buffer.from(chunk)))).toBe(holds);
});
