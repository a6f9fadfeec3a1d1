import { Client } from "pg";
import type { StateStore } from "./open-state-store.ts";
import {
  claimAll,
  completed,
  newTask,
  openTestStore,
  type TestStore,
  testWorkflow,
} from "./testing.ts";

/** For tests: a store with months that are over, and those who use it. */
export interface MonthsStore extends AsyncDisposable {
  readonly db: TestStore;
  readonly supervisor: StateStore;
  readonly submission: StateStore;
  readonly scheduler: StateStore;
  /** The first days of the months that have partitions. */
  months(): Promise<readonly string[]>;
  /** The first day of the month that is so many away, by the store's clock. */
  readonly monthAt: (offset: number) => Promise<string>;
  /** As if it had been migrated so many months ago, and nobody had made partitions since. */
  beginAt(offset: number): Promise<void>;
  dropByHand(month: string): Promise<void>;
  /** Submits orders, and does their step unless they are to stay; then moves them to another month. */
  submitIn(month: string, tasks: number, isProcessed?: boolean, workflow?: string): Promise<void>;
  connect(): Promise<Client & AsyncDisposable>;
  count(table: string): Promise<number>;
  /** How many rows there are of tasks, steps, their payloads, events, orders and order lines. */
  countAll(): Promise<readonly number[]>;
}

const partitioned = [
  "state.tasks",
  "state.steps",
  "state.task_payloads",
  "state.step_payloads",
  "state.events",
  "orders.orders",
  "orders.order_lines",
];

/** An order with one line. */
export const order = {
  customer: "Ada",
  currency: "EUR",
  total: 100,
  lines: [{ sku: "book", quantity: 1, unitPrice: 100 }],
};

export async function openMonthsStore(): Promise<MonthsStore> {
  const db = await openTestStore();
  const supervisor = await db.open("supervisor");
  const submission = await db.open("submission");
  const scheduler = await db.open("scheduler");
  await submission.registerWorkflow(testWorkflow([{ name: "a" }]));

  const months = async () => {
    const found = await db.query<{ month: string }>(
      "select month::text from state.partitions order by partitions.month",
    );
    return found.map(({ month }) => month);
  };

  const monthAt = async (offset: number) => {
    const [found] = await db.query<{ month: string }>(
      "select (state.month_of(clock_timestamp()) + $1::integer * interval '1 month')::date::text as month",
      [offset],
    );
    return found!.month;
  };

  const dropByHand = async (month: string) =>
    void (await db.query(
      `do $$ declare parent text; begin
         foreach parent in array state.partitioned_tables() loop
           execute 'drop table ' || state.partition_of(parent, '${month}');
         end loop; end $$`,
    ));

  const doSteps = async () => {
    const claims = await claimAll(scheduler);
    const incidents = claims.map(({ taskId, ...claim }) => ({
      taskId,
      event: completed({ taskId, ...claim }),
      output: {},
    }));
    await scheduler.applyIncidents(incidents, { actor: "test" });
  };

  const count = async (table: string) =>
    (await db.query<{ rows: number }>(`select count(*)::integer as rows from ${table}`))[0]!.rows;

  return {
    db,
    supervisor,
    submission,
    scheduler,
    months,
    monthAt,
    async beginAt(offset) {
      for (const month of await months()) await dropByHand(month);
      await db.query("select state.make_partition($1)", [await monthAt(offset)]);
    },
    dropByHand,
    async submitIn(month, tasks, isProcessed = true, workflow = "test.v1") {
      await submission.submitTasks(
        Array.from({ length: tasks }, () => newTask({ order, workflow })),
        { actor: "test" },
      );
      if (isProcessed) await doSteps();
      const [times] = await db.query<Times>(
        `select ($1::timestamp at time zone 'UTC' + interval '14 days')::text as instant,
                state.first_id_of(state.month_of(clock_timestamp()))::text as since`,
        [month],
      );
      await db.query(movingTo(times!));
    },
    async connect() {
      const client = new Client({ connectionString: db.url });
      await client.connect();
      return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
    },
    count,
    countAll: () => Promise.all(partitioned.map(count)),
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  };
}

/** When what was submitted is to have been, and from which id on it is what was. */
interface Times {
  readonly instant: string;
  readonly since: string;
}

const movingTo = (times: Times): string =>
  `begin; set local session_replication_role = replica;
   update state.tasks set created_at = '${times.instant}', updated_at = '${times.instant}'
    where task_id >= '${times.since}';
   update state.tasks set finished_at = '${times.instant}'
    where finished_at is not null and task_id >= '${times.since}';
   ${partitioned.map((table) => moved(table, times)).join("")}
   commit`;

/** An id is a time and a random rest. */
function moved(table: string, { instant, since }: Times): string {
  const key = table.startsWith("orders.") ? "order_id" : "task_id";
  return `update ${table}
             set ${key} = overlay(${key}::text placing left(state.first_id_of('${instant}'::timestamptz)::text, 13)
                                  from 1 for 13)::uuid
           where ${key} >= '${since}';`;
}
