import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  claimAll,
  openTestStores,
  submitMany,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import type { StateStore } from "../roles.ts";

let db: TestStore;
let submission: StateStore;
let scheduler: StateStore;
let supervisor: StateStore;
beforeAll(async () => {
  ({ db, submission, scheduler, supervisor } = await openTestStores(testWorkflow([{ name: "a" }])));
  await submitMany(submission, 1, { workflow: "test.v1" });
  await claimAll(scheduler);
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await db.query("delete from state.reply_paths; delete from state.outages");
  await expire(1_000);
});

const queues = ["replies", "replies.1"];

/** The only attempt, as if its limit had passed so many milliseconds ago, after four seconds. */
const expire = (ms: number) =>
  db.query(
    `update state.steps
        set start_by = clock_timestamp() - ${ms + 2_000} * interval '1 ms', start_within = 2000,
            complete_by = clock_timestamp() - ${ms} * interval '1 ms'
      where process_state = 'processing'`,
  );
const look = async () => (await supervisor.findExpired({ batch: 10, queues })).steps[0];
const ask = (names = queues, silentFor = 1_000) =>
  supervisor.askForProof({ probes: names.map((queue) => ({ queue, trouble: null })), silentFor });
/** Sends probes to these queues and has them arrive. */
async function prove(names = queues): Promise<void> {
  const asked = await ask(names);
  await scheduler.recordProofs(asked.map(({ queue, now: sentAt }) => ({ queue, sentAt })));
}

describe("silence", () => {
  test("is excused by what its Agent says of itself, and by no other Agent's word", async () => {
    await scheduler.rememberOutage({ part: "agent another", lasted: 60_000 });
    expect(await look()).toMatchObject({ excused: false });
    await scheduler.rememberOutage({ part: "agent agent", lasted: 60_000 });
    expect(await look()).toMatchObject({ excused: true });
  });

  test("that an Agent explains again and again is one row", async () => {
    for (const lasted of [2_000, 1_500, 1_000]) {
      await scheduler.rememberOutage({ part: "agent agent", lasted });
    }
    expect(await db.query("select part from state.outages")).toEqual([{ part: "agent agent" }]);
  });

  test("is proven once a probe has arrived in each queue that was sent after the limit had passed", async () => {
    expect(await look()).toMatchObject({ proven: 0, excused: false });
    await prove(["replies"]);
    expect(await look()).toMatchObject({ proven: 1 });
    await prove(["replies.1"]);
    expect(await look()).toMatchObject({ proven: 2, excused: false });
  });

  test("is not proven by a probe that was sent before the limit had passed, nor just after it", async () => {
    await prove();
    await expire(0);
    expect(await look()).toMatchObject({ proven: 0 });
    await prove();
    await db.query(
      "update state.steps set complete_by = (select min(proven_at) from state.reply_paths) - interval '100 ms' where process_state = 'processing'",
    );
    expect(await look()).toMatchObject({ proven: 0 });
  });

  test("is not proven by a probe that claims to be of the future", async () => {
    await ask();
    const sentAt = Date.now() + 86_400_000;
    await scheduler.recordProofs(queues.map((queue) => ({ queue, sentAt })));
    await expire(0);
    expect(await look()).toMatchObject({ proven: 0 });
  });

  test("is not proven where no queue is named", async () => {
    await prove();
    expect((await supervisor.findExpired({ batch: 10 })).steps[0]).toMatchObject({ proven: 0 });
  });
});

describe("probes that were long on their way", () => {
  /** Moves the probes back, as if they had been sent so many milliseconds ago. */
  const delay = (ms: number) =>
    db.query(
      `update state.reply_paths
          set asked_at = asked_at - ${ms} * interval '1 ms', silent_since = silent_since - ${ms} * interval '1 ms'`,
    );

  test("excuse what was silent meanwhile, and what was silent before they were sent", async () => {
    await ask();
    await delay(400);
    await prove();
    expect(await look()).toMatchObject({ proven: 2, excused: true });
    // Not what had ended before there was silence.
    await expire(60_000);
    expect(await look()).toMatchObject({ proven: 2, excused: false });
  });

  test("excuse the silence by which they were asked for, however long it took to ask", async () => {
    // As found; when it is asked about, 20 ms more have passed.
    await ask(queues, 980);
    await db.query("update state.reply_paths set asked_at = asked_at - interval '400 ms'");
    await prove();
    expect(await look()).toMatchObject({ proven: 2, excused: true });
  });

  test("leave one outage behind, however many of them there were", async () => {
    for (let round = 0; round < 30; round += 1) {
      await ask();
      await delay(400);
      await prove();
    }
    expect(await db.query("select part from state.outages")).toEqual([{ part: "replies" }]);
  });

  test("are not forgotten by a Supervisor that starts again", async () => {
    await ask();
    await delay(5_000);
    const again = await db.open("supervisor");
    const [asked] = await again.askForProof({
      probes: queues.map((queue) => ({ queue, trouble: "the broker is away" })),
      silentFor: 0,
    });
    expect(asked?.waited).toBeGreaterThanOrEqual(5_000);
    await prove();
    expect(await look()).toMatchObject({ excused: true });
  });

  test("alert a person once, until replies arrive again", async () => {
    const alert = () => supervisor.raisePathAlert({ queue: "replies", detail: "why" });
    const alerts = async () =>
      (await db.query("select 1 from state.alerts where kind = 'replies.unproven'")).length;
    await alert();
    expect(await alerts()).toBe(0);
    await ask();
    await Promise.all([alert(), alert(), alert()]);
    expect(await alerts()).toBe(1);
    await prove();
    await ask();
    await alert();
    expect(await alerts()).toBe(2);
  });
});

test("an outage that a service has seen excuses what was silent in it, and old ones are forgotten", async () => {
  await db.query(
    `insert into state.outages (part, from_at, to_at)
     values ('requests', now() - interval '60 days', now() - interval '59 days')`,
  );
  await scheduler.rememberOutage({ part: "requests", lasted: 2_000 });
  await supervisor.rememberOutage({ part: "requests", lasted: 9_000 });
  await supervisor.rememberOutage({ part: "replies", lasted: 1_000 });
  expect(await db.query("select part from state.outages order by part")).toEqual([
    { part: "replies" },
    { part: "requests" },
  ]);
  expect(await look()).toMatchObject({ excused: true });
});

test("probes of many Supervisors and Schedulers at the same time block one another not", async () => {
  await Promise.all(
    Array.from({ length: 40 }, (_, index) => prove(index % 2 === 0 ? queues : queues.toReversed())),
  );
  await prove();
  expect(await look()).toMatchObject({ proven: 2 });
});
