import { queryOnce } from "@holdfast/local-stack";
import { restingStep } from "../workflow.ts";

export interface Waiting {
  /** Tasks whose first step waits. */
  readonly waits: number;
  /** When that ends: an expression of SQL. */
  readonly until: string;
}

const chunk = 50_000;
/** Connections that write at the same time. */
const writers = 2;

/** Writes tasks down as if they had been submitted, and their first step had begun to wait. */
export async function fillWaits(url: string, { waits, until }: Waiting): Promise<void> {
  let left = waits;
  const fill = async (): Promise<void> => {
    while (left > 0) {
      const some = Math.min(chunk, left);
      left -= some;
      await queryOnce(url, rowsOf({ waits: some, until }));
    }
  };
  await Promise.all(Array.from({ length: writers }, fill));
  // Autovacuum has not analyzed an empty store.
  if (waits > 0) await queryOnce(url, "vacuum analyze");
  await queryOnce(url, "checkpoint");
}

const rowsOf = ({ waits, until }: Waiting): string => `
  set synchronous_commit = off;
  create temporary table new_task as
  select state.new_task_id() as task_id, ${until} as until from generate_series(1, ${waits});
  insert into state.task_payloads (task_id, input)
  select task_id, '{"id": "x", "padding": "x"}' from new_task;
  insert into state.tasks (task_id, workflow, process_state, format)
  select task_id, '${restingStep.name}', 'processing', 2 from new_task;
  insert into state.steps (task_id, name, kind, lane, process_state, not_before, admitted, start_within,
                           complete_within, format)
  select task_id, 'rest', 'wait', '', 'awaiting', until, true, 0, 0, 2 from new_task
   union all
  select task_id, 'first', 'call', 'bench-first', 'waiting', null, true, 30000, 30000, 2 from new_task;
  insert into state.waits (task_id, step, kind, deadline, due_at)
  select task_id, 'rest', 'wait', until, until from new_task;
  insert into state.events (task_id, step, action, from_state, to_state, attempt, actor)
  select task_id, step, action, from_state, to_state, attempt, 'bench'
    from new_task
   cross join (values (null,   'submit', null,      'processing', null),
                      ('rest', 'open',   'waiting', 'awaiting',   0))
           as move (step, action, from_state, to_state, attempt)`;
