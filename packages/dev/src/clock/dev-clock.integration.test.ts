import type { WorkflowDefinition } from "@holdfast/domain";
import { queryOnce } from "@holdfast/local-stack";
import { migrate, openStateStore } from "@holdfast/state-store";
import { testDatabase } from "@holdfast/test-servers";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { foreignClock, migrateWithClock } from "./dev-clock.ts";

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeEach(async () => {
  database = await testDatabase();
});
afterEach(async () => {
  await database[Symbol.asyncDispose]();
});

const ask = async <Row extends Readonly<Record<string, unknown>>>(sql: string): Promise<Row> =>
  (await queryOnce<Row>(database.url, sql))[0]!;

/** Hours by which an instant is ahead of this server's own clock. */
const hoursAhead = (instant: string): string =>
  `round(extract(epoch from ${instant} - pg_catalog.clock_timestamp()) / 3600)::integer`;
const instantOf = (id: string): string =>
  `to_timestamp(('x' || translate(left(${id}::text, 13), '-', ''))::bit(48)::bigint / 1000.0)`;

const policy = {
  startWithin: 1_000,
  completeWithin: 1_000,
  coolDown: null,
  onFailure: "halt",
} as const;
const workflow: WorkflowDefinition = {
  format: 1,
  name: "late.v1",
  inputSchema: {},
  completeWithin: 60_000,
  output: null,
  steps: [
    {
      ...policy,
      retry: { failures: 1, backoff: 1_000, max: 1_000 },
      name: "a",
      agent: "x",
      operation: "run",
      input: null,
      after: [],
      onlyIf: null,
      undo: null,
    },
  ],
};
const task = { tenant: "default", workflow: workflow.name, input: {}, priority: "normal" } as const;
const none = { fairness: null, replyTo: null, correlationId: null, idempotency: null };

/** Submits a task of the workflow; returns its id. */
async function submit(): Promise<string> {
  await using store = await openStateStore({
    url: database.url,
    applicationName: "test",
    maxConnections: 1,
  });
  await store.registerWorkflow(workflow);
  const [submitted] = await store.submitTasks([{ ...task, ...none }], { actor: "test" });
  return submitted?.kind === "created" ? submitted.taskId : "";
}

test("each way to ask for the time is ahead by the hours of the key, also for a service's role and after a restart", async () => {
  const clock = await migrateWithClock(database.url, migrate);
  expect(await clock.advance()).toMatch(/^clock \+ 1 h: for the store it is \S+Z, 1 h ahead/);
  const again = await migrateWithClock(database.url, migrate);
  expect(await again.advance()).toMatch(/ 2 h ahead of this machine$/);
  const ways = ["now()", "transaction_timestamp()", "statement_timestamp()", "clock_timestamp()"];
  const all = [...ways, instantOf("state.new_task_id()")].map(hoursAhead).join(", ");
  const asService = new URL(database.url);
  asService.searchParams.set("options", "-c role=holdfast_submission");
  expect(await queryOnce(asService.href, `select array[${all}] as hours`)).toEqual([
    { hours: [2, 2, 2, 2, 2] },
  ]);
});

test("two months ahead a task has a partition, and its id, its history and its limits have the time of the clock", async () => {
  const clock = await migrateWithClock(database.url, migrate);
  const hours = 62 * 24;
  await clock.advance(hours);
  const id = await submit();
  const found = await ask(`
    select ${hoursAhead(instantOf("tasks.task_id"))} as id, ${hoursAhead("tasks.created_at")} as created,
           ${hoursAhead("events.at")} as history, ${hoursAhead("tasks.complete_by")} as limit,
           (select month = state.month_of(clock_timestamp()) from state.partitions
             where tasks.task_id >= first_id and tasks.task_id < end_id) as in_this_month
      from state.tasks join state.events using (task_id) where task_id = '${id}'`);
  const expected = { id: hours, created: hours, history: hours, limit: hours };
  expect(found).toEqual({ ...expected, in_this_month: true });
});

test("what is deleted by age goes by the real clock, so no alert says that the clock has jumped", async () => {
  const clock = await migrateWithClock(database.url, migrate);
  await clock.advance(30 * 24);
  expect(await ask("select state.read_clock() as since")).toEqual({ since: null });
  expect(await ask(`select ${hoursAhead("state.trusted_now()")} as hours`)).toEqual({ hours: 0 });
  expect(await ask("select count(*)::integer as alerts from state.alerts")).toEqual({ alerts: 0 });
});

test("a table that a project makes in the database is in the schema public, as without the clock", async () => {
  await migrateWithClock(database.url, migrate);
  await ask("create table shop_orders (id integer, at timestamptz default now())");
  expect(await ask("select to_regclass('public.shop_orders') is not null as there")).toEqual({
    there: true,
  });
});

test("a store that an earlier release made keeps its clock, and the key says what to do", async () => {
  await migrate(database.url);
  const clock = await migrateWithClock(database.url, migrate);
  expect(await clock.advance()).toContain("start once with npx holdfast dev --fresh");
  expect(await ask(`select ${hoursAhead("now()")} as hours`)).toEqual({ hours: 0 });
});

test("the clock of a server that is not ours is left alone, and the key says so", async () => {
  expect(await foreignClock().advance()).toMatch(/left alone.*a server of your own\.$/);
});
