import { Client } from "pg";
import { instantOf, monthOf, rangeOfMonths } from "../src/postgres/active-partitions.ts";
import type { IdRange } from "../src/postgres/query.ts";
import type { StateStore } from "../src/roles.ts";
import {
  claimAll,
  completed,
  newTask,
  openTestStore,
  type TestStore,
  testWorkflow,
} from "./fixtures.ts";
import { moveToMonth, partitionedTables } from "./move-to-month.ts";

/** A store with months that are over, for tests, and those who use it. */
export interface MonthsStore extends AsyncDisposable {
  readonly db: TestStore;
  readonly supervisor: StateStore;
  readonly submission: StateStore;
  readonly scheduler: StateStore;
  /** The first days of the months that have partitions. */
  months(): Promise<readonly string[]>;
  /** The first day of the month that is so many away, by the store's clock. */
  readonly monthAt: (offset: number) => Promise<string>;
  /**
   * Makes the store look as if it had been migrated so many months ago, and had got no partitions
   * since.
   */
  beginAt(offset: number): Promise<void>;
  dropByHand(month: string): Promise<void>;
  /**
   * Submits orders, and does their step unless they are to stay; then moves them to another month.
   */
  submitIn(month: string, tasks: number, isProcessed?: boolean, workflow?: string): Promise<void>;
  connect(): Promise<Client & AsyncDisposable>;
  count(table: string): Promise<number>;
  /** How many rows there are of tasks, steps, their payloads and events. */
  countAll(): Promise<readonly number[]>;
}

export async function openMonthsStore(): Promise<MonthsStore> {
  const db = await openTestStore();
  const supervisor = await db.open("supervisor");
  const submission = await db.open("submission");
  const scheduler = await db.open("scheduler");
  await submission.registerWorkflow(testWorkflow([{ name: "a" }]));

  const doSteps = async () => {
    const claims = await claimAll(scheduler);
    const reportedEvents = claims.map(({ taskId, ...claim }) => ({
      taskId,
      event: completed({ taskId, ...claim }),
      output: {},
    }));
    await scheduler.applyEvents(reportedEvents, { actor: "test" });
  };

  const count = async (table: string) =>
    (await db.query<{ rows: number }>(`select count(*)::integer as rows from ${table}`))[0]!.rows;

  return {
    db,
    supervisor,
    submission,
    scheduler,
    ...monthPartitions(db),
    async submitIn(month, tasks, isProcessed = true, workflow = "test.v1") {
      await submission.submitTasks(
        Array.from({ length: tasks }, () => newTask({ workflow })),
        { actor: "test" },
      );
      if (isProcessed) await doSteps();
      await moveToMonth(db, month);
    },
    async connect() {
      const client = new Client({ connectionString: db.url });
      await client.connect();
      return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
    },
    count,
    countAll: () => Promise.all(partitionedTables.map(count)),
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  };
}

/** The months that have partitions, read and changed without the store. */
function monthPartitions(
  db: TestStore,
): Pick<MonthsStore, "months" | "monthAt" | "beginAt" | "dropByHand"> {
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

  return {
    months,
    monthAt,
    dropByHand,
    async beginAt(offset) {
      for (const month of await months()) await dropByHand(month);
      await db.query("select state.make_partition($1)", [await monthAt(offset)]);
    },
  };
}

/** The whole month of an id. */
export function monthOfTask(id: string): IdRange {
  const month = monthOf(instantOf(id));
  return rangeOfMonths(month, month);
}

const day = 24 * 3_600_000;
/** Milliseconds for which finished tasks are kept. */
export const kept = 31 * day;

/**
 * What a Supervisor does about the past, once; whether the month before last is old depends on the
 * day.
 */
export async function dropOldMonths(store: MonthsStore): Promise<readonly string[]> {
  const dropped: string[] = [];
  const undecided = await store.monthAt(-2);
  for (const old of await store.supervisor.findOldMonths({ keep: kept })) {
    if (old.month === undecided) continue;
    if (old.hasRecent && !old.hasUnfinished) continue;
    const { month, hasUnfinished } = old;
    const keeping = { month, keep: kept, batch: 3 };
    if (hasUnfinished) while ((await store.supervisor.deleteFinishedTasks(keeping)) === 3);
    else if (await dropMonth(store, keeping)) dropped.push(month);
  }
  return dropped;
}

/** Whether the month was dropped. The answer alone does not show it, for it may be lost. */
export async function dropMonth(
  store: MonthsStore,
  dropping: { readonly month: string; readonly keep: number },
): Promise<boolean> {
  for (let tries = 0; tries < 5; tries += 1) {
    // False as well while the server itself is at work in it.
    await store.supervisor.dropMonth(dropping);
    if (!(await store.months()).includes(dropping.month)) return true;
  }
  return false;
}
