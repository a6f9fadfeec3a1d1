import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { allIds, monthsOf } from "./id-ranges.ts";

const idAt = (instant: number, rest = "7abc8def0123456789ab"): string =>
  `${instant.toString(16).padStart(12, "0")}${rest}`.replace(
    /^(.{8})(.{4})(.{4})(.{4})(.{12})$/,
    "$1-$2-$3-$4-$5",
  );

const november = {
  firstId: "019a3cb6-bc00-0000-0000-000000000000",
  lastId: "019ad735-83ff-ffff-ffff-ffffffffffff",
};

test("tasks of one month are searched in that month", () => {
  const begin = Date.UTC(2025, 10, 1);
  const end = Date.UTC(2025, 11, 1) - 1;
  expect(monthsOf([idAt(begin), idAt(end)])).toEqual(november);
  expect(monthsOf([idAt(begin, "0".repeat(20))])).toEqual(november);
  expect(monthsOf([idAt(end, "f".repeat(20))])).toEqual(november);
});

test("tasks of two consecutive months are searched in both", () => {
  const range = monthsOf([idAt(Date.UTC(2026, 0, 5)), idAt(Date.UTC(2025, 11, 31))]);
  expect(range.firstId).toBe(idAt(Date.UTC(2025, 11, 1), "0".repeat(20)));
  expect(range.lastId).toBe(idAt(Date.UTC(2026, 1, 1) - 1, "f".repeat(20)));
});

test("tasks of other combinations of months are searched in all months", () => {
  expect(monthsOf([idAt(Date.UTC(2025, 9, 20)), idAt(Date.UTC(2025, 11, 1))])).toEqual(allIds);
  expect(monthsOf([])).toEqual(allIds);
});

test("an id in another notation is searched in all months", () => {
  const written = idAt(Date.UTC(2025, 10, 20));
  expect(monthsOf([written.toUpperCase(), written])).toEqual(november);
  expect(monthsOf([written, written.replaceAll("-", "")])).toEqual(allIds);
  expect(monthsOf(["nothing of the kind"])).toEqual(allIds);
});

test("the range of any ids includes each of them", () => {
  const close = fc.integer({ min: 0, max: 4 * 30 * 24 * 3_600_000 });
  const ids = fc.oneof(
    fc.array(fc.uuid(), { minLength: 1 }),
    fc.array(
      close.map((after) => idAt(Date.UTC(2025, 10, 20) + after)),
      { minLength: 1, maxLength: 3 },
    ),
  );
  fc.assert(
    fc.property(ids, (taskIds) => {
      const { firstId, lastId } = monthsOf(taskIds);
      return taskIds.every((taskId) => firstId <= taskId && taskId <= lastId);
    }),
  );
});
