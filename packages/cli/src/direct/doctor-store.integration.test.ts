import { replyQueue } from "@holdfast/contracts";
import { examine } from "@holdfast/diagnosis";
import { testDatabase } from "@holdfast/test-servers";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { OperatedBroker } from "../../test/broker.ts";
import { expectOnly, openTestSystem, type TestSystem, wrongs } from "../../test/doctor.ts";
import { type TestStore, workflowOf } from "../../test/fixtures.ts";

let system: TestSystem;
let store: TestStore;
let operated: OperatedBroker;

beforeAll(async () => {
  system = await openTestSystem();
  ({ store, operated } = system);
});
afterAll(async () => {
  await system[Symbol.asyncDispose]();
});
afterEach(() => system.cleanUp());

/** What doctor says of pauses. */
const pausesSeen = async () => {
  const { findings } = await system.lookAt();
  return { ...findings.find(({ code }) => code === "operators.pauses") };
};

describe("finds in the state store", () => {
  test("a transaction that was left open", async () => {
    await system.startServices();
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    const held = store.query("begin; select 1; select pg_sleep(60)").catch(resolve);
    system.cleanUps.defer(async () => {
      await store.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where query like 'begin; select 1%'",
      );
      await Promise.race([held, begun]);
    });
    let looked = await system.lookAt(["--open-for", "1ms"]);
    while (!wrongs(looked).some(({ code }) => code === "store.transactions")) {
      looked = await system.lookAt(["--open-for", "1ms"]);
    }
    expectOnly(looked, "store.transactions", "has been open for", "pg_terminate_backend(");
    expect(wrongs(await system.lookAt())).toEqual([]);
  });

  test("a table without autovacuum", async () => {
    await system.startServices();
    await system.forNow(
      "alter table state.outbox set (autovacuum_enabled = false)",
      "alter table state.outbox reset (autovacuum_enabled)",
    );
    expectOnly(await system.lookAt(), "store.vacuum", "state.outbox", "reset (autovacuum_enabled)");
  });

  test("a store of an earlier checkout", async () => {
    await system.startServices();
    await system.forNow(
      "update state.migrations set name = '0024_gone' where name = '0001_holdfast'",
      "update state.migrations set name = '0001_holdfast' where name = '0024_gone'",
    );
    expectOnly(await system.lookAt(), "store.schema", "0024_gone", "use an empty database");
  });

  test("a missing partition for the next month", async () => {
    await system.startServices();
    await system.forNow(
      `do $$ declare parent text; month date := (select max(month) from state.partitions); begin
         foreach parent in array state.partitioned_tables() loop
           execute 'drop table ' || state.partition_of(parent, month);
         end loop; end $$`,
      "select state.make_partitions()",
    );
    expectOnly(await system.lookAt(), "store.partitions", "the next month", "run a Supervisor");
  });

  test("that the clock of Postgres was set back", async () => {
    await system.startServices();
    await store.submit();
    await system.forNow(
      "update state.tasks set updated_at = now() + interval '3 hours', version = version + 1",
      "truncate state.tasks, state.steps, state.events",
    );
    expectOnly(await system.lookAt(), "store.clock_jumped", "was set back by 3 h", "by NTP");
  });

  test.each([
    [
      "set at = now() - interval '120 days', ahead_since = now(), ahead_at = now()",
      "nothing is deleted",
    ],
    ["set at = now() - interval '120 days'", "no Supervisor has run since"],
  ])("that the clock of Postgres jumped ahead: %s", async (jump, text) => {
    await system.startServices();
    await system.forNow(
      `update state.trusted_clock ${jump}`,
      "update state.trusted_clock set at = now(), ahead_since = null, ahead_at = null",
    );
    expectOnly(await system.lookAt(), "store.clock_jumped", "ahead of the last time", text);
  });

  test("waits of steps that should have ended, and those that are held since the clock jumped", async () => {
    await system.startServices();
    const ends = (deadline: string, dueAt: string) =>
      `(gen_random_uuid(), 'rest', 'wait', now() + interval '${deadline}', now() + interval '${dueAt}')`;
    const all = [
      ends("-5 minutes", "-5 minutes"),
      // Its task was locked or cannot be used, so it is looked at again.
      ends("-3 minutes", "30 seconds"),
      ends("-10 seconds", "-10 seconds"),
      ends("5 minutes", "5 minutes"),
      ends("-10 seconds", "10 minutes"),
    ];
    await system.forNow(
      `insert into state.waits (task_id, step, kind, deadline, due_at) values ${all.join(", ")}`,
      "truncate state.waits",
    );
    const found = wrongs(await system.lookAt());
    expect(found.map(({ code, text, advice }) => [code, text, advice])).toEqual([
      [
        "waits.late",
        expect.stringMatching(/^2 waits .* step rest of \S+, whose wait was over 5 min ago$/),
        expect.stringContaining("waits postponed"),
      ],
      [
        "waits.held",
        expect.stringMatching(/jumped ahead, so 1 wait .* is held for another 10 min at most/),
        expect.stringContaining("by NTP"),
      ],
    ]);
  });

  test("schedules that should have fired, that skip again and again, or that Holdfast paused", async () => {
    await system.startServices();
    const schedule = (id: string, dueAt: string, skips: number, reason: string | null = null) => {
      const paused = reason === null ? "null, null, null" : `now(), 'submission-1', '${reason}'`;
      return `('${id}', '{}', ${dueAt}, ${skips}, ${paused}, '', 'ann')`;
    };
    const all = [
      schedule("late", "now() - interval '5 minutes'", 0),
      schedule("later", "now() - interval '2 minutes'", 0),
      schedule("on-time", "now() - interval '10 seconds'", 2),
      schedule("blocked", "now() + interval '1 hour'", 3),
      schedule("failing", "null", 0, "schedule.failing"),
      schedule("rested", "null", 5, "the quarter ends"),
    ];
    await system.forNow(
      `insert into state.schedules (id, definition, due_at, skips, paused_at, paused_by, pause_reason, zone_rules, changed_by)
       values ${all.join(", ")}`,
      "truncate state.schedules",
    );
    const found = wrongs(await system.lookAt());
    expect(found.map(({ code, text }) => [code, text])).toEqual([
      [
        "schedules.late",
        "2 schedules should have fired a minute ago or more, first late, which was due 5 min ago",
      ],
      ["schedules.paused", expect.stringContaining("1 schedule skips one instant after the other")],
      ["schedules.paused", expect.stringMatching(/^1 schedule was paused by Holdfast.* failing,/)],
    ]);
  });

  test("a process that cannot read a stored workflow, whose steps wait", async () => {
    await system.startServices();
    const rest = {
      kind: "wait",
      name: "rest",
      after: [],
      onlyIf: null,
      onFailure: "halt",
      for: 1_000,
    } as const;
    await store.query("update state.instances set format = 2");
    await store.store.registerWorkflow({
      ...workflowOf("resting.v1", []),
      format: 2,
      steps: [rest],
    });
    expect(wrongs(await system.lookAt())).toEqual([]);
    await system.forNow(
      "update state.instances set format = 1",
      "delete from state.workflows where name = 'resting.v1'",
    );
    expectOnly(
      await system.lookAt(),
      "workflows.formats",
      "supervisor supervisor-1 (0.1.0) cannot read resting.v1: a later release stored it",
      "upgrade that process",
    );
  });

  test("pauses of operators, which are no problem", async () => {
    const attribution = { actor: "ann", reason: "stock-taking" };
    await system.startServices();
    expect(await pausesSeen()).toMatchObject({ state: "fine", text: "nothing is paused" });
    await store.store.pause({ kind: "agent", name: "payments", ...attribution });
    const taskId = await store.submit();
    await store.store.applyEvents([{ taskId, event: { kind: "paused" } }], { actor: "ann" });
    expect(await pausesSeen()).toMatchObject({
      state: "fine",
      text: expect.stringMatching(
        /paused: the Agent payments by ann since \S+Z \(stock-taking\); 1 order$/,
      ),
    });
    await store.store.resume({ kind: "agent", name: "payments", ...attribution });
    await store.store.applyEvents([{ taskId, event: { kind: "resumed" } }], { actor: "ann" });
    await store.query("truncate state.tasks, state.steps, state.events");
  });

  test("that it is missing", async () => {
    await system.startServices();
    await using empty = await testDatabase();
    const looked = await system.lookAt([], { ...system.environment(), STATE_STORE_URL: empty.url });
    expectOnly(looked, "store.schema", "no state store");
  });

  test("a Scheduler that cannot record what it reads, until it can", async () => {
    await system.startServices();
    const stalledConsumer = {
      queue: replyQueue,
      messages: 3,
      failures: 12,
      forMs: 40_000,
      error: "no",
    };
    const keep = (stalledConsumers: readonly (typeof stalledConsumer)[]) =>
      store.store.recordStalledConsumers({ instance: "scheduler-1", stalledConsumers });
    await keep([stalledConsumer]);
    expectOnly(
      await system.lookAt(),
      "consumers.failing",
      // The seconds go on while doctor starts.
      `scheduler-1 cannot record 3 messages of ${replyQueue}: 12 failures in 4`,
      " s, no",
    );
    await keep([]);
    expect(wrongs(await system.lookAt())).toEqual([]);
  });

  test("dead letters and unexpected replies, but no late ones", async () => {
    await system.startServices();
    const deadLetter = { queue: replyQueue, messageId: null, type: null, sender: null };
    await store.store.recordDeadLetters([
      { ...deadLetter, reason: "rejected", body: Buffer.from("?") },
    ]);
    const taskId = await store.submit();
    const reply = {
      taskId,
      step: "charge",
      attempt: 1,
      sender: "shipping",
      body: Buffer.from("{}"),
    };
    await store.store.recordRejectedReplies([
      { ...reply, reason: "wrong_agent" },
      { ...reply, reason: "not_processing" },
    ]);
    system.cleanUps.defer(
      async () => void (await store.query("truncate state.dead_letters, state.rejected_replies")),
    );
    const found = wrongs(await system.lookAt());
    expect(found.map(({ code, text }) => [code, text.split(":")[0]])).toEqual([
      ["messages.rejected", "replies of shipping were refused (wrong_agent)"],
      ["messages.dead", `dead letters in ${replyQueue} (rejected)`],
    ]);
  });

  test("submissions of applications that no process takes, and those that were refused", async () => {
    await system.startServices();
    const enqueued = await store.query<{ id: string }>(
      `select state.enqueue_submission('{"workflow": "shopping", "input": {}}')::text as id
         from generate_series(1, 3)`,
    );
    system.cleanUps.defer(
      async () => void (await store.query("truncate state.inbox, state.refusals")),
    );
    await store.store.refuseEnqueued([
      {
        taskId: enqueued[0]!.id,
        code: "task.invalid",
        detail: "x",
        errors: [],
        notification: null,
      },
    ]);
    await store.query("update state.inbox set enqueued_at = enqueued_at - interval '20 s'");
    const found = wrongs(await system.lookAt());
    expect(found.map(({ code, text, advice }) => [code, text, advice])).toEqual([
      [
        "inbox.waiting",
        expect.stringMatching(/^No process of submission makes tasks: 2 submissions .* wait/),
        "Start a process of submission with ROLE=all or ROLE=tasks.",
      ],
      [
        "inbox.refused",
        expect.stringMatching(
          /^submissions of \S+ were refused \(task\.invalid\): 1, the last at 20/,
        ),
        expect.stringContaining("state.refusals"),
      ],
    ]);
  });

  test("unacknowledged alerts and unsent notifications", async () => {
    await system.startServices();
    await store.query(
      `insert into state.alerts (task_id, episode, kind, code, at)
       values (gen_random_uuid(), 1, 'task.halted', 'x.y', now() - interval '2 minutes');
       insert into state.outbox (subject, channel, seq, body, at)
       values ('x', 'alert', 1, '{}', now() - interval '2 minutes')`,
    );
    system.cleanUps.defer(
      async () => void (await store.query("truncate state.alerts, state.outbox")),
    );
    const found = wrongs(await system.lookAt());
    expect(found.map(({ code }) => code)).toEqual(["alerts.undelivered", "notices.unsent"]);
  });

  test("a difference between its clock and this machine's", async () => {
    await system.startServices();
    const { findings } = await examine({
      name: "test",
      stateStoreUrl: store.url,
      brokerUrl: operated.broker.url,
      managementUrl: null,
      now: () => Date.now() + 90_000,
      openFor: 60_000,
      consumerTimeout: null,
    });
    expect(findings.find(({ code }) => code === "store.clock")).toMatchObject({
      state: "wrong",
      text: expect.stringContaining("90 s ahead of the store's"),
    });
  });
});

test("doctor finds a definition that cannot be used", async () => {
  await system.startServices();
  await store.store.registerWorkflow(
    workflowOf("spoilt.v1", [{ name: "reserve", agent: "inventory" }]),
  );
  await store.query("update state.workflows set definition = '{}' where name = 'spoilt.v1'");
  system.cleanUps.defer(
    async () => void (await store.query("delete from state.workflows where name = 'spoilt.v1'")),
  );
  expectOnly(
    await system.lookAt(),
    "workflows.definitions",
    "the definition of spoilt.v1 cannot be used: ",
  );
});
