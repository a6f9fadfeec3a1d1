import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { dropOldMonths, kept, type MonthsStore, openMonthsStore } from "../../test/months.ts";

const batch = 200;

let store: MonthsStore;
beforeAll(async () => {
  store = await openMonthsStore();
});
afterAll(async () => {
  await store[Symbol.asyncDispose]();
});

/** Tables of which no row is deleted because it is old. */
const lasting: Readonly<Record<string, string>> = {
  breakers: "one row for each remote service",
  business_key_sweep: "one row",
  collections: "one row for each workflow",
  compatibility: "one row",
  dead_letter_alerts: "one row for each queue and reason",
  fairness_keys: "deleted once the queue has passed the key",
  inbox: "deleted once its task is made or refused",
  known_agents: "one row for each Agent",
  migrations: "one row for each migration",
  remotes: "one row for each Agent",
  installation: "one row",
  schedules: "one row for each schedule",
  reply_paths: "one row for each queue of replies",
  signal_inbox: "deleted once its task has it, or it is refused",
  statistics_gaps: "deleted once the rows of the gap are counted, or can no longer come",
  statistics_progress: "one row",
  trusted_clock: "one row",
  waits: "deleted when its step waits no longer, which its task outlasts",
  workflows: "one row for each workflow",
};

/** A row of each other table, from the middle of a month that is over. */
const old = (task: string): Readonly<Record<string, string>> => ({
  agents: `(agent, instance, capacity, in_flight, breaker, seen_at) values ('a', 'i', 1, 0, 'closed', past)`,
  alerts: `(task_id, episode, kind, code, at) values (${task}, 1, 'task.halted', 'x', past)`,
  bulk_items: `(operation_id, number, task_id, version) values (${task}, 1, ${task}, 1)`,
  bulk_operations: `(id, action, filter, actor, reason, request_hash, canary, rate, paced_from, state, matched, waiting, ended_at)
                    values (${task}, 'cancel', '{}', 'x', 'x', 'x', 0, 1, past, 'done', 1, 1, past)`,
  business_keys: `values ('default', 'test', 'k', ${task})`,
  dead_letter_actions: `(dead_letter_id, queue, action, actor, reason, at) values (1, 'q', 'discard', 'x', 'x', past)`,
  dead_letters: `(queue, reason, body, at) values ('q', 'x', '', past)`,
  decisions: `(task_id, step, actor, name, decision, at) values (${task}, 's', 'a', 'A', 'approve', past)`,
  failure_groups: `values ('f', 'test.v1', 'a', 'x.y', '', 1, past, past)`,
  failures: `values (${task}, 'a', 'f', false, past)`,
  instances: `(service, instance, version, seen_at) values ('scheduler', 'i', '1', past)`,
  mailbox: `(tenant, family, key, name, signal_id, request_hash, payload, contract, sent_by, expires_at)
            values ('default', 'test', 'k', 'n', 'i', 'h', '{}', 'c', 'x', past)`,
  outages: `(part, from_at, to_at) values ('requests', past, past)`,
  outbox: `(subject, channel, seq, body, at) values ('s', 'event', 1, '{}', past)`,
  pauses: `(kind, name, actor, reason, paused_at, resumed_at, resumed_by, released_at)
           values ('agent', 'a', 'x', 'x', past, past, 'x', past)`,
  refusals: `values (${task}, 'x', null, null, 'x.y', 'x', '[]', past)`,
  rejected_replies: `(reason, body, at) values ('x', '', past)`,
  schedule_fires: `values ('s', past, 'missed', null, null, null, past)`,
  signal_refusals: `values (1, ${task}, 'x', 'x', 'x', 'x.y', 'x', '[]', past)`,
  stalled_consumers: `values ('i', 'q', 1, 1, past, 'x', past)`,
  statistics: `(resolution, subject, at) values ('minute', '', past)`,
  signals: `(task_id, name, signal_id, request_hash, payload, sent_by) values (${task}, 'n', 'i', 'h', '{}', 'x')`,
  submissions: `values ('default', 'i', 'h', ${task}, past)`,
  task_labels: `values ('l', 'x', ${task})`,
});

test("no table keeps old rows for ever, while a task of an earlier month is open", async () => {
  await store.beginAt(-4);
  await store.supervisor.makePartitions();
  await store.submitIn(await store.monthAt(-3), 1);
  await store.submitIn(await store.monthAt(-4), 1, false);
  const past = `('${await store.monthAt(-3)}'::timestamp at time zone 'UTC' + interval '14 days')`;
  const inserted = old(`state.first_id_of${past}`);
  for (const [table, row] of Object.entries(inserted)) {
    await store.db.query(`insert into state.${table} ${row.replaceAll(/\bpast\b/g, past)}`);
  }
  const tables = await store.db.query<{ name: string }>(
    `select relname as name from pg_class
      where relnamespace = 'state'::regnamespace and relkind in ('r', 'p') and not relispartition`,
  );
  const byMonth = ["tasks", "steps", "task_payloads", "step_payloads", "events"];
  const known = [...Object.keys(lasting), ...Object.keys(inserted), ...byMonth];
  // A new table says how it is kept small.
  expect(tables.map(({ name }) => name).toSorted()).toEqual(known.toSorted());

  const { supervisor, scheduler } = store;
  const keeping = { keep: kept, batch };
  expect(await dropOldMonths(store)).toEqual([await store.monthAt(-3)]);
  while ((await supervisor.deleteOldBulkOperations(keeping)) > 0);
  await supervisor.deleteExpiredKeys({ batch });
  await supervisor.deleteUnclaimedSignals({ batch });
  await supervisor.deleteFreeBusinessKeys({ batch });
  await supervisor.deleteOldRecords(keeping);
  await supervisor.deleteOldMessages(keeping);
  for (let rounds = 0; rounds < 2; rounds += 1) await supervisor.deleteOldStatistics({ batch });
  await scheduler.deleteStaleNotifications();
  await scheduler.recordInstance({ service: "scheduler", instance: "j", version: "1", slots: 1 });
  await scheduler.recordStalledConsumers({ instance: "j", stalledConsumers: [] });
  await scheduler.rememberOutage({ part: "replies", lasted: 0 });
  const beat = { agent: "b", capacity: 1, inFlight: 0, breaker: "closed", openForMs: 0 } as const;
  await scheduler.recordHeartbeats([{ ...beat, instance: "j" }]);
  const kinds = Object.keys(inserted);
  const left = await Promise.all(kinds.map((table) => store.count(`state.${table}`)));
  // Of these there is what was reported just now, and the alert to a signal that was not claimed.
  const fresh = ["agents", "alerts", "instances", "outages", "outbox"];
  expect(kinds.filter((_, index) => left[index]! > 0)).toEqual(fresh);
  expect(await Promise.all(fresh.map((table) => store.count(`state.${table}`)))).toEqual([
    1, 1, 1, 1, 1,
  ]);
  // The open task, of the earlier month.
  expect(await store.count("state.tasks")).toBe(1);
});
