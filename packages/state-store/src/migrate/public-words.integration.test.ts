import { testDatabase } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import { claimAll, completed, testWorkflow } from "../../test/fixtures.ts";
import { connect } from "../../test/rehearsal.ts";
import { openStateStore } from "../open-state-store.ts";
import { migrate } from "./migrate.ts";

const before = "0016_repeated_submissions";
const workflow = testWorkflow([
  {
    name: "a",
    faults: [{ code: "x.gone", onFailure: "undo" }],
    // What an author gives a step is no policy.
    input: { onFailure: "compensate" },
  },
]);

/** A definition as an earlier release stored it. */
const inOldWords = (text: string): string =>
  text.replaceAll('"onFailure":"undo"', '"onFailure":"compensate"');

const ids = {
  halted: "01a1fd8d-d928-77c8-96cb-353aaba17501",
  undoing: "01a1fd8d-d928-77c8-96cb-353aaba17502",
  undone: "01880000-d928-77c8-96cb-353aaba17503",
  processed: "01880000-d928-77c8-96cb-353aaba17504",
} as const;

/** Tasks with one step, as an earlier release wrote them, some of them in a month that is over. */
const rows = `
  insert into state.tasks (task_id, workflow, goal, process_state, fault_code, finished_at) values
    ('${ids.halted}', 'test.v1', 'do', 'error', 'x.failed', null),
    ('${ids.undoing}', 'test.v1', 'undo', 'compensating', 'operator.undo', null),
    ('${ids.undone}', 'test.v1', 'undo', 'compensated', 'operator.undo', now()),
    ('${ids.processed}', 'test.v1', 'do', 'processed', null, now());
  insert into state.task_payloads select task_id, '{"x": 1}' from state.tasks;
  insert into state.steps (task_id, name, kind, lane, process_state, rank, not_before, attempt, failure_count, fault_code,
                           admitted, start_within, complete_within) values
    ('${ids.halted}', 'a', 'call', 'agent', 'error', null, null, 1, 1, 'x.failed', true, 30000, 5000),
    ('${ids.undoing}', 'a', 'call', 'agent', 'processed', null, null, 1, 0, null, true, 30000, 5000),
    ('${ids.undoing}', 'a:undo', 'compensation', 'agent', 'pending', now(), now(), 0, 0, null, true, 30000, 5000),
    ('${ids.undone}', 'a', 'call', 'agent', 'processed', null, null, 1, 0, null, true, 30000, 5000),
    ('${ids.undone}', 'a:undo', 'compensation', 'agent', 'processed', null, null, 1, 0, null, true, 30000, 5000),
    ('${ids.processed}', 'a', 'call', 'agent', 'processed', null, null, 1, 0, null, true, 30000, 5000);
  insert into state.events (task_id, step, action, from_state, to_state, attempt, reason, actor)
  select task_id::uuid, step, action, from_state, to_state, attempt, reason, 'x'
    from (values
      ('${ids.halted}', 'a', 'claim', 'pending', 'processing', 1, null),
      ('${ids.halted}', 'a', 'fail', 'processing', 'error', 1, 'x.failed'),
      ('${ids.halted}', null, 'summarise', 'processing', 'error', null, 'x.failed'),
      ('${ids.halted}', null, 'pause', 'error', 'error', null, null),
      ('${ids.undoing}', 'a', 'claim', 'pending', 'processing', 1, null),
      ('${ids.undoing}', 'a', 'complete', 'processing', 'processed', 1, null),
      ('${ids.undoing}', null, 'undo', 'processing', 'compensating', null, 'operator.undo'),
      ('${ids.undone}', 'a', 'claim', 'pending', 'processing', 1, null),
      ('${ids.undone}', 'a', 'complete', 'processing', 'processed', 1, null),
      ('${ids.undone}', null, 'undo', 'processing', 'compensating', null, 'operator.undo'),
      ('${ids.undone}', 'a:undo', 'claim', 'pending', 'processing', 1, null),
      ('${ids.undone}', 'a:undo', 'complete', 'processing', 'processed', 1, null),
      ('${ids.undone}', null, 'summarise', 'compensating', 'compensated', null, null),
      ('${ids.processed}', 'a', 'claim', 'pending', 'processing', 1, null),
      ('${ids.processed}', 'a', 'complete', 'processing', 'processed', 1, null),
      ('${ids.processed}', null, 'summarise', 'processing', 'processed', null, null))
      as event (task_id, step, action, from_state, to_state, attempt, reason);`;

const others = `
  insert into state.alerts (task_id, episode, kind, code) values
    ('${ids.halted}', 1, 'task.halted', 'x.failed'), ('${ids.undone}', 1, 'undo.failing', 'operator.undo');
  insert into state.outbox (subject, channel, seq, address, body) values
    ('1', 'status', 1, 'status.x', '{"event":"compensated","state":"compensated","steps":[{"name":"a","state":"error"}],"faultCode":"operator.undo"}'),
    ('2', 'event', 1, null, '{"event":"error","state":"error","faultCode":"x.failed"}'),
    ('3', 'event', 1, null, '{"event":"progress","state":"processing","faultCode":null}');
  insert into state.statistics (resolution, subject, at, compensated, undone) values ('day', '', now(), 3, 5);
  update state.statistics_progress set pending = 1, compensating = 2, error = 4;
  insert into state.failure_groups (fingerprint, workflow, step, fault_code, message, failures, first_at, last_at) values
    ('old', 'test.v1', '', 'operator.undo', '', 2, now(), now()), ('other', 'test.v1', 'a', 'x.failed', '', 1, now(), now());
  insert into state.failures (task_id, step, fingerprint, halted, at) values
    ('${ids.undone}', '', 'old', false, now()), ('${ids.halted}', 'a', 'other', true, now());
  insert into state.bulk_operations (action, filter, actor, reason, request_hash, canary, rate, paced_from, state, matched,
                                     waiting, refused, failed_again, ended_at) values
    ('undo', '{"workflow":"error","state":{"$in":["error","open","compensating"]}}', 'x', 'x', 'h', 0, 1, now(), 'done', 2, 0, 1, 1, now()),
    ('pause', '{"state":"compensated"}', 'x', 'x', 'h', 0, 1, now(), 'done', 0, 0, 0, 0, now());
  insert into state.bulk_items (operation_id, number, task_id, version, outcome, code)
  select id, 1, '${ids.undone}'::uuid, 1, 'refused', 'task.task_finished' from state.bulk_operations where action = 'undo'
  union all
  select id, 2, '${ids.undone}'::uuid, 1, 'failedAgain', 'operator.undo' from state.bulk_operations where action = 'undo';`;

/** The guard of an earlier release knows the moves by its own words. */
const guard = `
  create function state.refuse_transition() returns trigger language plpgsql as
    $$ begin raise exception 'illegal transition' using errcode = 'HF001'; end $$;
  create trigger guard_task before update on state.tasks for each row
    when (old.process_state <> new.process_state or new.version <= old.version)
    execute function state.refuse_transition();`;

async function openEarlier() {
  const database = await testDatabase();
  await migrate(database.url, { upTo: before });
  const client = await connect(database.url);
  await client.query(
    "insert into state.workflows (name, content_hash, format, definition) values ('test.v1', 'h', 1, $1)",
    [inOldWords(JSON.stringify(workflow))],
  );
  await client.query(rows);
  await client.query(others);
  await client.query(guard);
  return {
    url: database.url,
    query: async (sql: string) => (await client.query(sql)).rows as readonly object[],
    [Symbol.asyncDispose]: async () => {
      await client.end();
      await database[Symbol.asyncDispose]();
    },
  };
}

test("a store in the words of an earlier release is carried over to those of now, and its tasks go on", async () => {
  await using store = await openEarlier();
  const { query } = store;
  expect(await migrate(store.url)).toContain("0017_public_words");

  expect(
    await query("select task_id, process_state, fault_code from state.tasks order by task_id"),
  ).toEqual([
    { task_id: ids.undone, process_state: "undone", fault_code: "operator.cancel" },
    { task_id: ids.processed, process_state: "processed", fault_code: null },
    { task_id: ids.halted, process_state: "halted", fault_code: "x.failed" },
    { task_id: ids.undoing, process_state: "undoing", fault_code: "operator.cancel" },
  ]);
  expect(
    await query(
      "select distinct name, kind, process_state from state.steps order by name, process_state",
    ),
  ).toEqual([
    { name: "a", kind: "call", process_state: "error" },
    { name: "a", kind: "call", process_state: "processed" },
    { name: "a:undo", kind: "undo", process_state: "pending" },
    { name: "a:undo", kind: "undo", process_state: "processed" },
  ]);
  expect(
    await query(
      `select from_state, to_state, reason from state.events
        where step is null or to_state = 'error' order by id`,
    ),
  ).toEqual([
    // Of the step.
    { from_state: "processing", to_state: "error", reason: "x.failed" },
    { from_state: "processing", to_state: "halted", reason: "x.failed" },
    { from_state: "halted", to_state: "halted", reason: null },
    { from_state: "processing", to_state: "undoing", reason: "operator.cancel" },
    { from_state: "processing", to_state: "undoing", reason: "operator.cancel" },
    { from_state: "undoing", to_state: "undone", reason: null },
    { from_state: "processing", to_state: "processed", reason: null },
  ]);
  expect(await query("select definition from state.workflows")).toEqual([{ definition: workflow }]);
  expect(await query("select body from state.outbox order by subject")).toEqual([
    {
      body: {
        event: "undone",
        state: "undone",
        steps: [{ name: "a", state: "error" }],
        faultCode: "operator.cancel",
      },
    },
    { body: { event: "halted", state: "halted", faultCode: "x.failed" } },
    { body: { event: "progress", state: "processing", faultCode: null } },
  ]);
  expect(await query("select undone::int, undone_steps::int from state.statistics")).toEqual([
    { undone: 3, undone_steps: 5 },
  ]);
  expect(
    await query("select pending::int, undoing::int, halted::int from state.statistics_progress"),
  ).toEqual([{ pending: 1, undoing: 2, halted: 4 }]);
  expect(
    await query(
      `select step, fault_code, halted, failures::int from state.failures
         join state.failure_groups using (fingerprint, step) order by step`,
    ),
  ).toEqual([
    { step: "", fault_code: "operator.cancel", halted: false, failures: 2 },
    { step: "a", fault_code: "x.failed", halted: true, failures: 1 },
  ]);
  expect(await query("select action, filter from state.bulk_operations order by action")).toEqual([
    {
      action: "cancel",
      filter: { workflow: "error", state: { $in: ["halted", "open", "undoing"] } },
    },
    { action: "pause", filter: { state: "undone" } },
  ]);
  expect(await query("select code from state.bulk_items order by number")).toEqual([
    { code: "task.finished" },
    { code: "operator.cancel" },
  ]);

  await using opened = await openStateStore({
    url: store.url,
    applicationName: "test",
    maxConnections: 2,
  });
  expect(await opened.findInvariantViolations({ batch: 10 })).toEqual([]);
  // Stored again at each start.
  expect(await opened.registerWorkflow(workflow)).toBe("same");
  const [undo, ...more] = await claimAll(opened);
  expect([undo?.name, more]).toEqual(["a:undo", []]);
  await opened.applyEvents([{ taskId: ids.undoing, event: completed(undo!), output: {} }], {
    actor: "test",
  });
  const resubmitted = { kind: "resubmitted", step: "a", attempt: 1, inputChanged: false } as const;
  await opened.applyEvents([{ taskId: ids.halted, event: resubmitted }], { actor: "test" });
  expect(await opened.countTasks()).toEqual({ processed: 1, processing: 1, undone: 2 });
  expect(await opened.findInvariantViolations({ batch: 10 })).toEqual([]);
});

test("the words are not changed while a service runs, and the error names it", async () => {
  await using store = await openEarlier();
  await store.query(
    "insert into state.instances (service, instance, version) values ('scheduler', 'scheduler-1', '0.1.0')",
  );
  await expect(migrate(store.url, { timeout: 300 })).rejects.toMatchObject({
    code: "store.contention",
    message: expect.stringContaining(
      "stop all services first: seen in the last 20 seconds were scheduler scheduler-1",
    ),
  });
  expect(
    await store.query("select schema_version, oldest_reader from state.compatibility"),
  ).toEqual([{ schema_version: 23, oldest_reader: 9 }]);
  expect(
    await store.query("select count(*)::int as old from state.tasks where process_state = 'error'"),
  ).toEqual([{ old: 1 }]);
  await store.query("update state.instances set seen_at = now() - interval '21 seconds'");
  expect(await migrate(store.url)).toContain("0017_public_words");
});

test("a release of before can neither start on the words of now nor write its own", async () => {
  await using store = await openEarlier();
  await migrate(store.url);
  expect(
    await store.query("select schema_version, oldest_reader from state.compatibility"),
  ).toEqual([{ schema_version: expect.any(Number), oldest_reader: 29 }]);
  expect(
    await store.query(
      "select resend_at, confirmed_at, resent from state.steps where resent limit 1",
    ),
  ).toEqual([]);
  await expect(
    store.query(
      "insert into state.tasks (task_id, workflow, process_state) values (state.new_task_id(), 'x', 'error')",
    ),
  ).rejects.toThrow("known_state");
});
