import { queryOnce } from "@holdfast/local-stack";
import { threeSteps } from "../workflow.ts";

/** What a finished order leaves behind: itself, three steps, and eleven moves. */
export const rowsOfFinished = 15;

export interface Filling {
  /** Orders whose first step is due. */
  readonly pending: number;
  /** Orders that were processed. */
  readonly finished: number;
}

const chunk = 50_000;
/** Connections that write at the same time. */
const writers = 2;

/**
 * Writes orders down as if they had been submitted, or processed, long ago. Without payloads of
 * steps.
 */
export async function fillStore(url: string, { pending, finished }: Filling): Promise<void> {
  for (const [orders, rows] of [
    [pending, pendingRows],
    [finished, finishedRows],
  ] as const) {
    let left = orders;
    const fill = async (): Promise<void> => {
      while (left > 0) {
        const some = Math.min(chunk, left);
        left -= some;
        await queryOnce(url, `${newTasks(some)} ${rows}`);
      }
    };
    await Promise.all(Array.from({ length: writers }, fill));
  }
  // Autovacuum has not analyzed an empty store.
  if (pending + finished > 0) await queryOnce(url, "vacuum analyze");
  await queryOnce(url, "checkpoint");
}

const newTasks = (orders: number): string => `
  set synchronous_commit = off;
  create temporary table new_task as
  select state.new_task_id() as task_id from generate_series(1, ${orders});
  insert into state.task_payloads (task_id, input)
  select task_id, '{"id": "x", "padding": "x"}' from new_task;`;

const pendingRows = `
  insert into state.tasks (task_id, workflow) select task_id, '${threeSteps.name}' from new_task;
  insert into state.steps (task_id, name, kind, lane, process_state, rank, not_before, admitted,
                           start_within, complete_within)
  select task_id, name, 'call', 'bench-' || name, process_state, due, due, true, 30000, 30000
    from new_task
   cross join (values ('first', 'pending', now()), ('second', 'waiting', null), ('third', 'waiting', null))
           as step (name, process_state, due);
  insert into state.events (task_id, action, to_state, actor)
  select task_id, 'submit', 'pending', 'bench' from new_task`;

const finishedRows = `
  insert into state.tasks (task_id, workflow, process_state, version, finished_at)
  select task_id, '${threeSteps.name}', 'processed', 5, now() from new_task;
  insert into state.steps (task_id, name, kind, lane, process_state, attempt, admitted, start_within,
                           complete_within)
  select task_id, name, 'call', 'bench-' || name, 'processed', 1, true, 30000, 30000
    from new_task cross join unnest(array['first', 'second', 'third']) as name;
  insert into state.events (task_id, step, action, from_state, to_state, attempt, actor)
  select task_id, step, action, from_state, to_state, attempt, 'bench'
    from new_task
   cross join (values (null,     'submit',    null,         'pending',    null),
                      ('first',  'claim',     'pending',    'processing', 1),
                      (null,     'summarise', 'pending',    'processing', null),
                      ('first',  'complete',  'processing', 'processed',  1),
                      ('second', 'plan',      'waiting',    'pending',    0),
                      ('second', 'claim',     'pending',    'processing', 1),
                      ('second', 'complete',  'processing', 'processed',  1),
                      ('third',  'plan',      'waiting',    'pending',    0),
                      ('third',  'claim',     'pending',    'processing', 1),
                      ('third',  'complete',  'processing', 'processed',  1),
                      (null,     'summarise', 'processing', 'processed',  null))
           as move (step, action, from_state, to_state, attempt)`;
