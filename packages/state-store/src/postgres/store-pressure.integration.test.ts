import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { Client } from "pg";
import { openTestStore, type TestStore, testWorkflow } from "../../test/fixtures.ts";
import {
  claimAndReply,
  countRows,
  endAllBackends,
  insist,
  openAsOwner as open,
  submitWithKey as submit,
  unavailable,
} from "../../test/outages.ts";
import type { StateStore } from "../roles.ts";
import { openPool } from "./pool.ts";

let parts: AsyncDisposableStack;
let db: TestStore;
let store: StateStore;
beforeAll(async () => {
  parts = new AsyncDisposableStack();
  db = parts.use(await openTestStore());
  store = parts.use(await open(db.url));
  await store.registerWorkflow(testWorkflow([{ name: "a" }, { name: "b" }]));
});
afterAll(async () => {
  await parts.disposeAsync();
});
beforeEach(async () => {
  await db.query(
    "truncate state.submissions, state.tasks, state.steps, state.events, state.task_payloads, state.step_payloads",
  );
});

const actor = "test";
const violations = () => store.findInvariantViolations({ batch: 10 });
const count = (from: string) => countRows(db, from);

/** Has the first updates of steps fail. */
const failAtFirst = async (sqlstate: string, times: number): Promise<void> => {
  await db.query(
    `create or replace function public.fail() returns trigger language plpgsql as $$ begin
       if nextval('public.attempts') <= ${times} then
         raise exception 'in need' using errcode = '${sqlstate}';
       end if;
       return null; end $$`,
  );
  await db.query(
    "create trigger fail after update on state.steps for each statement execute function public.fail()",
  );
};

const attempts = () => db.query<{ n: number }>("select last_value::int as n from public.attempts");

describe("a store under pressure", () => {
  beforeEach(async () => {
    // A sequence is not rolled back: it counts the attempts.
    await db.query("create sequence public.attempts");
    await db.query("grant usage on sequence public.attempts to public");
  });
  afterEach(async () => {
    await db.query("drop trigger if exists fail on state.steps");
    await db.query("drop sequence public.attempts");
  });

  test.each([
    ["a serialization failure", "40001"],
    ["a deadlock", "40P01"],
    ["a lock that is not to be had", "55P03"],
  ])("makes the service retry %s at once", async (_, sqlstate) => {
    await submit(store, "key");
    const reportedEvent = await claimAndReply(store);
    await failAtFirst(sqlstate, 3);
    expect((await store.applyEvents([reportedEvent], { actor })).outcomes).toMatchObject([
      { applied: true },
    ]);
    expect((await attempts())[0]?.n).toBeGreaterThan(3);
  });

  test("makes the service report endless contention after eight attempts", async () => {
    await submit(store, "key");
    const reportedEvent = await claimAndReply(store);
    await failAtFirst("40P01", 1_000);
    await expect(store.applyEvents([reportedEvent], { actor })).rejects.toMatchObject({
      code: "store.contention",
      transient: true,
    });
    expect(await attempts()).toEqual([{ n: 8 }]);
  });

  test.each([
    ["a full disk", "53100"],
    ["too little memory", "53200"],
    ["a statement that took too long", "57014"],
    ["a shutdown", "57P01"],
  ])(
    "is unavailable for %s, parks no step for it, and is available afterwards",
    async (_, code) => {
      await submit(store, "key");
      const reportedEvent = await claimAndReply(store);
      await failAtFirst(code, 1_000);
      await expect(store.applyEvents([reportedEvent], { actor })).rejects.toMatchObject(
        unavailable,
      );
      expect(await count("state.steps where process_state = 'error'")).toBe(0);
      await db.query("drop trigger fail on state.steps");
      const { outcomes } = await store.applyEvents([reportedEvent], { actor });
      expect(outcomes).toMatchObject([{ applied: true }]);
      expect(await violations()).toEqual([]);
    },
  );

  test("ends a wait for a lock at its timeout, and gets the lock at the retry", async () => {
    await submit(store, "key");
    const reportedEvent = await claimAndReply(store);
    const holder = new Client({ connectionString: db.url });
    await holder.connect();
    await holder.query("begin");
    await holder.query("select from state.tasks for update");
    const refused = store.applyEvents([reportedEvent], { actor });
    await expect(refused).rejects.toMatchObject({ code: "store.contention", transient: true });
    await holder.query("rollback");
    await holder.end();
    expect((await store.applyEvents([reportedEvent], { actor })).outcomes).toMatchObject([
      { applied: true },
    ]);
  });

  test("is unavailable with no connection left, and available with the first free one", async () => {
    const login = `few_${randomUUID().slice(0, 8)}`;
    await db.query(`create role ${login} login password 'few' connection limit 2`);
    await db.query(`grant holdfast_submission to ${login}`);
    const { href } = Object.assign(new URL(db.url), { username: login, password: "few" });
    const others = [new Client(href), new Client(href)];
    const crowded = await open(href);
    await endAllBackends(db);
    await Promise.all(others.map((client) => client.connect()));
    await expect(submit(crowded, "key")).rejects.toMatchObject(unavailable);
    await others[0]?.end();
    const keys = Array.from({ length: 20 }, (_, index) => `key ${index}`);
    await Promise.all(keys.map((key) => insist(() => submit(crowded, key))));
    await others[1]?.end();
    await crowded[Symbol.asyncDispose]();
    await db.query(`drop owned by ${login}`);
    await db.query(`drop role ${login}`);
    expect(await count("state.tasks")).toBe(20);
  });
});

test("the server ends a statement that takes too long", async () => {
  const pool = openPool({ url: db.url, applicationName: "slow", maxConnections: 1 });
  await expect(pool.query("select pg_sleep(600)")).rejects.toMatchObject({ code: "57014" });
  const active = `pg_stat_activity where application_name = 'slow' and state = 'active'`;
  while ((await count(active)) > 0) await sleep(20);
  await pool.end();
});
