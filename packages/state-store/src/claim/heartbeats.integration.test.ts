import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openTestStores, type TestStore } from "../../test/fixtures.ts";
import type { StateStore } from "../roles.ts";
import type { Heartbeat } from "./heartbeats.ts";

let db: TestStore;
let submission: StateStore;
let scheduler: StateStore;
beforeAll(async () => {
  ({ db, submission, scheduler } = await openTestStores());
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});

test("the store keeps the last heartbeat of each instance of an Agent", async () => {
  const beat = { agent: "agent", instance: "i-1", capacity: 10, inFlight: 3 };
  await scheduler.recordHeartbeats([
    { ...beat, breaker: "closed", openForMs: 0 },
    { ...beat, breaker: "open", openForMs: 5_000 },
  ]);
  const known = await db.query(
    "select instance, breaker, breaker_until > now() as open from state.agents",
  );
  expect(known).toEqual([{ instance: "i-1", breaker: "open", open: true }]);
});

test("an Agent's operations are those of all its running instances", async () => {
  const beat = {
    agent: "announcer",
    capacity: 10,
    inFlight: 0,
    breaker: "closed",
    openForMs: 0,
  } as const;
  const record = async (instance: string, announced?: readonly string[]) => {
    await scheduler.recordHeartbeats([
      { ...beat, instance, ...(announced === undefined ? {} : { operations: announced }) },
    ]);
    const known = await submission.findKnownAgents();
    return known.find(({ agent }) => agent === "announcer")?.operations;
  };
  const pass = (minutes: number) =>
    db.query(
      `update state.agents set seen_at = seen_at - interval '${minutes} minutes' where agent = 'announcer'`,
    );
  expect(await record("i-1", ["cancel", "book"])).toEqual(["book", "cancel"]);
  expect(await record("i-2", ["book", "move"])).toEqual(["book", "cancel", "move"]);
  expect(await record("i-1", [])).toEqual(["book", "move"]);
  // One that does not say what it performs may perform anything.
  expect(await record("i-3")).toBeNull();
  await pass(2);
  expect(await record("i-1", ["book"])).toEqual(["book"]);
  // All are down: what ran last counts.
  await pass(60);
  expect(
    (await submission.findKnownAgents()).find(({ agent }) => agent === "announcer"),
  ).toMatchObject({
    operations: ["book"],
  });
});

test("only living instances have slots, the last one seen first, and those with an open breaker behind", async () => {
  const health = { inFlight: 0, breaker: "closed", openForMs: 0 } as const;
  const beat = (instance: string, capacity: number, more: Partial<Heartbeat> = {}) =>
    scheduler.recordHeartbeats([{ ...health, agent: "crane", instance, capacity, ...more }]);
  const slots = async () =>
    (await scheduler.findAgentSlots()).find(({ lane }) => lane === "crane")?.slots;
  await beat("old release", 5);
  await beat("a", 20, { everyMs: 1_000 });
  await beat("b", 75, { everyMs: 1_000 });
  expect(await slots()).toEqual([75, 20, 5]);
  await beat("b", 75, { everyMs: 1_000, breaker: "open", openForMs: 1_000 });
  await beat("nonsense", 2 ** 31 - 1, { everyMs: 2 ** 31 - 1 });
  expect(await slots()).toEqual([2 ** 31 - 1, 20, 5, 75]);
  await beat("b", 75, { everyMs: 1_000, leaving: true });
  expect(await slots()).toEqual([2 ** 31 - 1, 20, 5]);
  const pass = (seconds: number) =>
    db.query(
      `update state.agents set lives_until = lives_until - interval '${seconds} s' where agent = 'crane'`,
    );
  await pass(4);
  expect(await slots()).toEqual([2 ** 31 - 1, 5]);
  await pass(11);
  expect(await slots()).toBeUndefined();
  await beat("a", 20, { everyMs: 1_000 });
  expect(await slots()).toEqual([20]);
});

test("heartbeats of the same instances, recorded by two Schedulers in any order, do not deadlock", async () => {
  const beats = Array.from(
    { length: 2_000 },
    (_, number): Heartbeat => ({
      agent: "crowded",
      instance: `i-${number}`,
      capacity: 10,
      inFlight: 0,
      breaker: "closed",
      openForMs: 0,
    }),
  );
  const other = await db.open("scheduler");
  await scheduler.recordHeartbeats(beats);
  for (let rounds = 0; rounds < 5; rounds += 1) {
    await Promise.all([
      scheduler.recordHeartbeats(beats),
      other.recordHeartbeats(beats.toReversed()),
    ]);
  }
  const [found] = await db.query<{ deadlocks: number }>(
    "select deadlocks::int from pg_stat_database where datname = current_database()",
  );
  expect(found).toEqual({ deadlocks: 0 });
});
