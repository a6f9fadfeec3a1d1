import { queryOnce } from "@holdfast/local-stack";
import { migrate } from "@holdfast/state-store";
import { orderSteps } from "../workflow.ts";
import { countTasks } from "./count-tasks.ts";

/** Orders of long ago, and over how many minutes they come of age. */
export interface Past {
  readonly orders: number;
  readonly minutes: number;
}

/** How many months of them there are. The last ended a month ago. */
const months = 12;

/**
 * How full, in per cent, work leaves the primary keys: a row that moves writes an entry beside the
 * one before, which splits pages in the middle. Half an hour of it left 51 bytes for each task's
 * entry of 28, and 69 for a step's of 36.
 */
const fullness: Readonly<Record<string, number>> = { "state.tasks": 56, "state.steps": 53 };

/**
 * Has an empty store keep its first months apart, as one does that has run for so long, as full as
 * work leaves them.
 */
export async function makeRoomForPast(url: string): Promise<void> {
  await migrate(url);
  await queryOnce(
    url,
    `do $$
     declare
       parent text;
       part   regclass;
     begin
       foreach parent in array state.partitioned_tables() loop
         for part in select inhrelid from pg_inherits where inhparent = parent::regclass loop
           execute format('drop table %s', part);
         end loop;
       end loop;
       for ago in -${months + 1} .. 1 loop
         perform state.make_partition((state.month_of(now()) + ago * interval '1 month')::date);
       end loop;
     end
     $$`,
  );
  for (const [table, percent] of Object.entries(fullness)) {
    await queryOnce(
      url,
      `do $$
       declare
         past date;
       begin
         for past in select month from state.partitions where month < state.month_of(now()) loop
           execute format('alter index %s_pkey set (fillfactor = ${percent})',
             state.partition_of('${table}', past));
         end loop;
       end
       $$`,
    );
  }
}

/**
 * Writes down what is to be deleted meanwhile: tasks, steps and idempotency keys. A month is kept
 * for a day after its last order, so the months come of age one after the other.
 */
export async function fillPast(url: string, { orders, minutes }: Past): Promise<void> {
  const size = Math.ceil(orders / months);
  for (let month = 0; month < months; month += 1) {
    await queryOnce(url, oldMonth({ month, size, minutes }));
  }
  const [found] = await queryOnce<{ tables: string }>(url, filled);
  await queryOnce(url, `vacuum analyze state.submissions, ${found!.tables}`);
  await queryOnce(url, "checkpoint");
}

/** How many of them are still there. */
export const countPast = (url: string): Promise<number> =>
  countTasks(url, "task_id < state.first_id_of(state.month_of(now()))");

/**
 * Partitions that have something in them: how full the partition of a month gets that begins is not
 * known.
 */
const filled = `
  select string_agg(state.partition_of(parent, month), ', ') as tables
    from state.partitions
   cross join unnest(array['state.tasks', 'state.steps']) as parent
   where month < state.month_of(now())`;

interface OldMonth {
  readonly month: number;
  readonly size: number;
  readonly minutes: number;
}

function oldMonth({ month, size, minutes }: OldMonth): string {
  const part = `interval '${(minutes * 60) / months} s'`;
  return `
  set synchronous_commit = off;
  create temporary table old_task as
  select overlay(state.first_id_of(state.month_of(now()) - interval '${months + 1 - month} months'
                                   + number * interval '27 days' / ${size})::text
                 placing right(gen_random_uuid()::text, 22) from 15)::uuid as task_id,
         number
    from generate_series(1, ${size}) as number;
  insert into state.tasks (task_id, workflow, process_state, version, created_at, finished_at)
  select task_id, '${orderSteps.name}', 'processed', 5, now() - interval '40 days',
         now() - interval '1 day' + ${month} * ${part}
    from old_task;
  insert into state.steps (task_id, name, kind, lane, process_state, admitted, start_within,
                           complete_within)
  select task_id, name, 'call', 'bench-' || name, 'processed', true, 30000, 30000
    from old_task cross join unnest(array['first', 'second', 'third']) as name
   order by task_id, name;
  insert into state.submissions (tenant, idempotency_key, request_hash, task_id, expires_at)
  select 'default', gen_random_uuid(), repeat('0', 64), task_id,
         now() + (${month} + number / ${size}::float8) * ${part}
    from old_task`;
}
