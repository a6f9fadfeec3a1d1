import { queryOnce } from "@holdfast/local-stack";
import { noMetrics, repeat, serverAccess } from "@holdfast/runtime";
import { announceInstance, submitTasks } from "@holdfast/state-store";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { input, openTrips, type TripService } from "../test/trips.ts";
import { until } from "../test/until.ts";
import { awakeInbox, type InboxWakes } from "./awake-inbox.ts";
import { inboxRounds } from "./inbox-rounds.ts";
import { takeEnqueued } from "./take-enqueued.ts";
import { workflowDirectory } from "./workflow-directory.ts";

let trips: TripService;
beforeAll(async () => {
  trips = await openTrips();
});
afterAll(async () => {
  await trips[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await trips.clear();
  await query("truncate state.inbox, state.instances");
});

const query = (sql: string) => queryOnce<{ id: string }>(trips.url, sql);
const enqueue = () =>
  submitTasks(
    { query: async (text, values) => ({ rows: await queryOnce(trips.url, text, values) }) },
    [{ workflow: "trip", input }],
  );
const log = { info: () => {}, warn: () => {}, error: () => {} };

const takes = () =>
  takeEnqueued({
    store: trips.store,
    directory: workflowDirectory(trips.store),
    hint: () => {},
    log,
    failpoint: () => {},
    actor: "submission-1",
  });

/** A process that looks at the inbox only when it is woken. */
function process(stack: AsyncDisposableStack): InboxWakes {
  const service = { signal: AbortSignal.timeout(60_000), log, metrics: noMetrics };
  const wakes: InboxWakes = { channel: null };
  const me = { service: "submission", instance: "submission-1", slots: null } as const;
  const announcing = stack.use(
    repeat(
      announceInstance(trips.store, () => ({ ...me, inboxChannel: wakes.channel })),
      { name: "instance", ...service },
    ),
  );
  const take = takes();
  stack.use(
    awakeInbox({
      take: async () => ((await take()) ? 0 : 3_600_000),
      access: serverAccess({ name: "state store", read: () => trips.url, log }),
      instance: me.instance,
      wakes,
      announce: announcing.wake,
      ...service,
    }),
  );
  return wakes;
}

const listens = async () =>
  (await query("select instance as id from state.instances where inbox_channel is not null"))
    .length === 1;
const isMade = async (taskId: string) =>
  (await query(`select task_id as id from state.tasks where task_id = '${taskId}'`)).length === 1;

test("what is enqueued becomes a task without a poll, one after the other, and after its connection has ended", async () => {
  await using stack = new AsyncDisposableStack();
  process(stack);
  await until(listens);
  for (let count = 0; count < 3; count += 1) {
    const [submitted] = await enqueue();
    await until(() => isMade(submitted!.taskId));
  }
  await query(
    "select pg_terminate_backend(pid)::text as id from pg_stat_activity where query like 'listen%' and datname = current_database()",
  );
  // Whether it comes before it listens again or afterwards.
  const [submitted] = await enqueue();
  await until(() => isMade(submitted!.taskId));
});

test("after it found something a process looks again soon, and then once a second", async () => {
  const signals = async () => {
    throw new Error("Their inbox is empty");
  };
  const look = inboxRounds(trips.store.glanceAtInboxes, { submissions: takes(), signals });
  expect(await look()).toBe(1_000);
  await enqueue();
  const rests = [];
  for (let looks = 0; looks < 5; looks += 1) rests.push(await look());
  expect(rests).toEqual([0, 50, 250, 1_000, 1_000]);
});
