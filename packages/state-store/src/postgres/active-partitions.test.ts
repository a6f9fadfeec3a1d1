import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { activePartitions } from "./active-partitions.ts";
import { allIds, type Database } from "./query.ts";

const november = {
  firstId: "019a3cb6-bc00-0000-0000-000000000000",
  lastId: "019ad735-83ff-ffff-ffff-ffffffffffff",
};
const december = "019ad735-8400-0000-0000-000000000000";

/** A store that says one thing after the other, and a clock that is set. */
function storeThatSays(...answers: readonly (readonly string[] | Error)[]) {
  let asked = 0;
  const db: Database = {
    query: async () => {
      const answer = answers[asked];
      asked += 1;
      if (answer instanceof Error) throw answer;
      const rows = answer === undefined ? [] : [answer];
      const names = ["first_id", "end_id", "first_known_id", "end_known_id"];
      return { rows, fields: names.map((name) => ({ name })) };
    },
  };
  const clock = { now: 0 };
  const busy = activePartitions(db, () => clock.now);
  return { busy, clock, asked: () => asked };
}

test("all partitions are searched until the store has named the active ones", async () => {
  const { busy } = storeThatSays([november.firstId, december]);
  expect(busy.range()).toEqual(allIds);
  await turn();
  expect(busy.range()).toEqual(november);
});

test("active partitions are queried at most once in 30 s, and only for a search", async () => {
  const { busy, clock, asked } = storeThatSays(
    [november.firstId, december],
    [november.firstId, december],
  );
  for (clock.now = 0; clock.now < 30_000; clock.now += 1_000) {
    busy.range();
    await turn();
  }
  expect(asked()).toBe(1);
  clock.now = 100_000;
  busy.range();
  await turn();
  expect(asked()).toBe(2);
});

test("the list of active partitions expires in less than a minute", async () => {
  const { busy, clock } = storeThatSays([november.firstId, december], new Error(), new Error());
  busy.range();
  await turn();
  clock.now = 44_999;
  expect(busy.range()).toEqual(november);
  await turn();
  clock.now = 45_000;
  expect(busy.range()).toEqual(allIds);
});

test("all partitions are searched if the store cannot name the active ones", async () => {
  const { busy, clock } = storeThatSays([november.firstId, december]);
  busy.range();
  await turn();
  clock.now = 30_000;
  busy.range();
  await turn();
  expect(busy.range()).toEqual(allIds);
});

const idAt = (instant: number, rest = "7abc8def0123456789ab"): string =>
  `${instant.toString(16).padStart(12, "0")}${rest}`.replace(
    /^(.{8})(.{4})(.{4})(.{4})(.{12})$/,
    "$1-$2-$3-$4-$5",
  );

/** The months of a store with a partition for every month. */
async function allMonths() {
  const { busy } = storeThatSays([november.firstId, december, allIds.firstId, allIds.lastId]);
  busy.range();
  await turn();
  return busy;
}

test("tasks of one month are searched in that month", async () => {
  const months = await allMonths();
  const begin = Date.UTC(2025, 10, 1);
  const end = Date.UTC(2025, 11, 1) - 1;
  expect(months.monthsOf([idAt(begin), idAt(end)])).toEqual(november);
  expect(months.monthsOf([idAt(begin, "0".repeat(20))])).toEqual(november);
  expect(months.monthsOf([idAt(end, "f".repeat(20))])).toEqual(november);
});

test("tasks of two consecutive months are searched in both", async () => {
  const months = await allMonths();
  const range = months.monthsOf([idAt(Date.UTC(2026, 0, 5)), idAt(Date.UTC(2025, 11, 31))]);
  expect(range.firstId).toBe(idAt(Date.UTC(2025, 11, 1), "0".repeat(20)));
  expect(range.lastId).toBe(idAt(Date.UTC(2026, 1, 1) - 1, "f".repeat(20)));
});

test("tasks of other combinations of months are searched in all months", async () => {
  const months = await allMonths();
  expect(months.monthsOf([idAt(Date.UTC(2025, 9, 20)), idAt(Date.UTC(2025, 11, 1))])).toEqual(
    allIds,
  );
  expect(months.monthsOf([])).toEqual(allIds);
});

test("an id in another notation is searched in all months", async () => {
  const months = await allMonths();
  const written = idAt(Date.UTC(2025, 10, 20));
  expect(months.monthsOf([written.toUpperCase(), written])).toEqual(november);
  expect(months.monthsOf([written, written.replaceAll("-", "")])).toEqual(allIds);
  expect(months.monthsOf(["nothing of the kind"])).toEqual(allIds);
});

test("tasks of a month without a partition are searched in all months", async () => {
  const { busy } = storeThatSays([november.firstId, december, november.firstId, december]);
  const inNovember = idAt(Date.UTC(2025, 10, 20));
  expect(busy.monthsOf([inNovember])).toEqual(allIds);
  await turn();
  expect(busy.monthsOf([inNovember])).toEqual(november);
  expect(busy.monthsOf([idAt(Date.UTC(2025, 9, 31))])).toEqual(allIds);
  expect(busy.monthsOf([idAt(Date.UTC(2025, 11, 1))])).toEqual(allIds);
});

test("the range of any ids includes each of them", async () => {
  const months = await allMonths();
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
      const { firstId, lastId } = months.monthsOf(taskIds);
      return taskIds.every((taskId) => firstId <= taskId && taskId <= lastId);
    }),
  );
});
