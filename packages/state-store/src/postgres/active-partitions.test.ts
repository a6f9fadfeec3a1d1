import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { activePartitions } from "./active-partitions.ts";
import { allIds } from "./id-ranges.ts";
import type { Database } from "./query.ts";

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
