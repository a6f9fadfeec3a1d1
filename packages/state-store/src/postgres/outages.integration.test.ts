import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Cut, type Link, openLink } from "@holdfast/test-servers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { Client } from "pg";
import {
  claimAll,
  completed,
  newTask,
  openTestStore,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import { openStateStore } from "../open-state-store.ts";
import type { StateStore } from "../state-store.ts";
import { openPool } from "./pool.ts";

let parts: AsyncDisposableStack;
let db: TestStore;
let link: Link;
let store: StateStore;
/** By a link that can be cut. */
let distant: StateStore;
beforeAll(async () => {
  parts = new AsyncDisposableStack();
  db = parts.use(await openTestStore());
  link = parts.use(await openLink(db.url));
  store = parts.use(await open(db.url));
  distant = parts.use(await open(link.url));
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

const open = (url: string) => openStateStore({ url, applicationName: "test", maxConnections: 8 });
const actor = "test";
const keyed = (key: string) => newTask({ idempotency: { key, hash: "h" } });
const submit = (by: StateStore, key: string) => by.submitTasks([keyed(key)], { actor });
const unavailable = { code: "store.unavailable", transient: true };
const violations = () => store.findInvariantViolations({ batch: 10 });

/** ReadyForQuery outside of any transaction: all that Postgres was asked for is done. */
const done = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** Has the connection lost on which this is said next: before the server hears it, or after it has done it. */
const loseNext = (text: string, when: Cut["when"]): void =>
  link.cutAt({ pattern: Buffer.from(text), when, answer: done });

const count = async (from: string): Promise<number> =>
  (await db.query<{ n: number }>(`select count(*)::int as n from ${from}`))[0]?.n ?? 0;

/** As whoever gets a 503 does: the same again, until it works. */
async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error as { readonly transient?: boolean }).transient) throw error;
    }
  }
}

async function claimed() {
  const [claim] = await claimAll(store);
  return {
    ...claim!,
    reportedEvent: { taskId: claim!.taskId, event: completed(claim!), output: {} },
  };
}

describe("a connection that is lost", () => {
  const moments = ["before", "after"] as const;

  test.each(moments)(
    "%s the COMMIT of a submission is recovered: there is one task",
    async (moment) => {
      for (let trial = 1; trial <= 20; trial += 1) {
        loseNext("commit", moment);
        expect(await submit(distant, `key ${trial}`)).toMatchObject([{ kind: "created" }]);
        expect(await count("state.tasks")).toBe(trial);
        expect(await submit(distant, `key ${trial}`)).toMatchObject([{ kind: "replayed" }]);
      }
      expect(await count("state.steps")).toBe(2 * 20);
      expect(await violations()).toEqual([]);
    },
  );

  test("after the COMMIT, while the outcome cannot be queried, writes one task for the same key", async () => {
    const cutsBefore = link.cuts;
    loseNext("commit", "after");
    const submitting = submit(distant, "key");
    while (link.cuts === cutsBefore) await sleep(1);
    link.takeDown();
    await expect(submitting).rejects.toMatchObject({
      code: "store.outcome_unknown",
      transient: true,
    });
    link.heal();
    await insist(() => submit(distant, "key"));
    expect(await count("state.tasks")).toBe(1);
  });

  test("before a claim is committed leaves the step to the next claim", async () => {
    await submit(store, "key");
    loseNext("claim-due-steps", "before");
    await expect(claimAll(distant)).rejects.toMatchObject(unavailable);
    expect(await claimAll(distant)).toMatchObject([{ attempt: 1 }]);
  });

  test("after a claim was committed leaves the step to the relay, with the same attempt", async () => {
    await submit(store, "key");
    loseNext("claim-due-steps", "after");
    await expect(claimAll(distant)).rejects.toMatchObject(unavailable);
    expect(await claimAll(distant)).toEqual([]);
    await db.query("update state.steps set relay_at = now() where process_state = 'processing'");
    expect(await distant.takeUndispatchedSteps({ relayAfter: 300 })).toMatchObject([
      { name: "a", attempt: 1 },
    ]);
  });

  test.each(moments)(
    "%s the COMMIT of a reply is recovered: the reply counts once",
    async (moment) => {
      await submit(store, "key");
      const { reportedEvent } = await claimed();
      loseNext("commit", moment);
      const first = await distant.applyEvents([reportedEvent], { actor });
      expect(first.outcomes).toMatchObject([{ applied: true }]);
      const again = await distant.applyEvents([reportedEvent], { actor });
      expect(again.outcomes).toMatchObject([{ applied: false }]);
      expect(await claimAll(store)).toMatchObject([{ name: "b", attempt: 1 }]);
      expect(await violations()).toEqual([]);
    },
  );

  test.each(moments)(
    "%s a decision that is begun and committed in one message is recovered: it counts once",
    async (moment) => {
      await submit(store, "key");
      const [claim] = await claimAll(distant);
      const reportedEvent = { taskId: claim!.taskId, event: completed(claim!), output: {} };
      const cutsBefore = link.cuts;
      loseNext("begin-transaction", moment);
      const first = await distant.applyEvents([reportedEvent], { actor });
      expect(first.outcomes).toMatchObject([{ applied: true }]);
      expect(link.cuts).toBe(cutsBefore + 1);
      const again = await distant.applyEvents([reportedEvent], { actor });
      expect(again.outcomes).toMatchObject([{ applied: false }]);
      expect(await claimAll(store)).toMatchObject([{ name: "b", attempt: 1 }]);
      expect(await violations()).toEqual([]);
    },
  );

  test("by the server, again and again: every submission is there once in the end", async () => {
    const keys = Array.from({ length: 60 }, (_, index) => `key ${index}`);
    const submitting = Promise.all(keys.map((key) => insist(() => submit(distant, key))));
    for (let round = 0; round < 5; round += 1) await endAllBackends();
    await submitting;
    expect(await count("state.tasks")).toBe(60);
    expect(await violations()).toEqual([]);
  });

  test.each(moments)(
    "%s a new connection asks whether the server accepts writes is replaced, and ends no process",
    async (when) => {
      const cuts = link.cuts;
      loseNext("transaction_read_only", when);
      await using late = await open(link.url);
      await late.ping();
      expect(link.cuts).toBe(cuts + 1);
    },
  );

  test("while it is idle is replaced", async () => {
    await Promise.all([1, 2, 3].map(() => distant.ping()));
    expect(await endAllBackends()).toBeGreaterThan(0);
    await insist(() => distant.ping());
  });
});

/** All but our own. Resolves to how many there were. */
async function endAllBackends(): Promise<number> {
  const ended = await db.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`,
  );
  return ended.length;
}

describe("a backend that dies in the middle of a submission", () => {
  const tables = [
    "state.submissions",
    "state.tasks",
    "state.task_payloads",
    "state.steps",
    "state.events",
  ];
  afterEach(async () => {
    for (const table of tables) await db.query(`drop trigger if exists die on ${table}`);
  });

  test.each(tables)("after its insert into %s leaves nothing behind", async (table) => {
    await db.query(
      `create or replace function public.die() returns trigger language plpgsql security definer as
       $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`,
    );
    await db.query(
      `create trigger die after insert on ${table} for each statement execute function public.die()`,
    );
    await expect(submit(store, "key")).rejects.toMatchObject(unavailable);
    await db.query(`drop trigger die on ${table}`);
    expect(await count("state.tasks")).toBe(0);
    expect(await count("state.steps")).toBe(0);
    expect(await submit(store, "key")).toMatchObject([{ kind: "created" }]);
  });
});

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
    const { reportedEvent } = await claimed();
    await failAtFirst(sqlstate, 3);
    expect((await store.applyEvents([reportedEvent], { actor })).outcomes).toMatchObject([
      { applied: true },
    ]);
    expect((await attempts())[0]?.n).toBeGreaterThan(3);
  });

  test("makes the service report endless contention after eight attempts", async () => {
    await submit(store, "key");
    const { reportedEvent } = await claimed();
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
      const { reportedEvent } = await claimed();
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
    const { reportedEvent } = await claimed();
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
    await endAllBackends();
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
