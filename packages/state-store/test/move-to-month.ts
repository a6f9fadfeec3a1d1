import type { TestStore } from "./fixtures.ts";

/** Tables that have a partition for each month. */
export const partitionedTables = [
  "state.tasks",
  "state.steps",
  "state.task_payloads",
  "state.step_payloads",
  "state.events",
];

/** What steps wait for, and what was sent to tasks or said of them, goes with them as well. */
const awaited = ["state.waits", "state.signals", "state.decisions"];

/**
 * Makes what was submitted this month look as if it had been in the middle of another one, for
 * tests.
 */
export async function moveToMonth(db: Pick<TestStore, "query">, month: string): Promise<void> {
  const [times] = await db.query<Times>(
    `select ($1::timestamp at time zone 'UTC' + interval '14 days')::text as instant,
            state.first_id_of(state.month_of(clock_timestamp()))::text as since`,
    [month],
  );
  await db.query(movingTo(times!));
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
   ${[...partitionedTables, ...awaited].map((table) => moved(table, times)).join("")}
   commit`;

/** An id is a time and a random rest. */
function moved(table: string, { instant, since }: Times): string {
  return `update ${table}
             set task_id = overlay(task_id::text placing left(state.first_id_of('${instant}'::timestamptz)::text, 13)
                                  from 1 for 13)::uuid
           where task_id >= '${since}';`;
}
