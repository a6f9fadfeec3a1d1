import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { readRows } from "./read-rows.ts";
import { rowsOfTenth, tenths, testsOf } from "./tenths.ts";

const rows = readRows(fileURLToPath(new URL("../../../", import.meta.url)));
const all = Array.from({ length: tenths }, (_, tenth) => rowsOfTenth(rows, tenth));
const ids = (some: typeof rows) => some.map(({ id }) => id);

test("ten tenths have every row of docs/evidence/pattern.md once", () => {
  expect(all.map((some) => some.length > 0)).toEqual(Array(10).fill(true));
  expect(ids(all.flat()).toSorted()).toEqual(ids(rows).toSorted());
});

test("a tenth is the same whenever it is asked for, and in the order of the page", () => {
  for (const [tenth, some] of all.entries()) {
    expect(ids(rowsOfTenth(rows, tenth))).toEqual(ids(some));
    expect(ids(rows.filter((row) => some.includes(row)))).toEqual(ids(some));
  }
});

test("no tenth has two more system tests than another", () => {
  const counts = all.map(
    (some) => some.flatMap(testsOf).filter(({ file }) => file.endsWith(".system.test.ts")).length,
  );
  expect(Math.min(...counts)).toBeGreaterThan(0);
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThan(2);
});
