import { setTimeout as sleep } from "node:timers/promises";
import { type Cut, type Link, openLink } from "@holdfast/test-servers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { claimAll, openTestStore, type TestStore, testWorkflow } from "../../test/fixtures.ts";
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

let parts: AsyncDisposableStack;
let db: TestStore;
let link: Link;
let store: StateStore;
/** A store that is reached by a link that can be cut. */
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

const actor = "test";

const violations = () => store.findInvariantViolations({ batch: 10 });

/** ReadyForQuery outside of any transaction: all that Postgres was asked for is done. */
const done = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/**
 * Has the connection lost on which this is said next: before the server hears it, or after it has
 * done it.
 */
const loseNext = (text: string, when: Cut["when"]): void =>
  link.cutAt({ pattern: Buffer.from(text), when, answer: done });

const count = (from: string) => countRows(db, from);

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

  test("after a claim was committed leaves the step to the resend, with the same attempt", async () => {
    await submit(store, "key");
    loseNext("claim-due-steps", "after");
    await expect(claimAll(distant)).rejects.toMatchObject(unavailable);
    expect(await claimAll(distant)).toEqual([]);
    await db.query("update state.steps set resend_at = now() where process_state = 'processing'");
    expect(await distant.takeUnconfirmedSteps({ resendAfter: 300 })).toMatchObject([
      { name: "a", attempt: 1 },
    ]);
  });

  test.each(moments)(
    "%s the COMMIT of a reply is recovered: the reply counts once",
    async (moment) => {
      await submit(store, "key");
      const reportedEvent = await claimAndReply(store);
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
      const reportedEvent = await claimAndReply(distant);
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
    for (let round = 0; round < 5; round += 1) await endAllBackends(db);
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
    expect(await endAllBackends(db)).toBeGreaterThan(0);
    await insist(() => distant.ping());
  });
});

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
