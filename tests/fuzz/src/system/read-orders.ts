import { queryOnce } from "@holdfast/local-stack";
import { fulfilOrder } from "@holdfast/orders";

/** All orders of the shop, by any submitter. */
export async function shopOrders(url: string): Promise<readonly string[]> {
  const rows = await queryOnce<{ id: string }>(
    url,
    `select task_id::text as id from state.tasks where workflow = '${fulfilOrder.name}'`,
  );
  return rows.map(({ id }) => id);
}

/**
 * The tasks that have not ended, with where they stand; one that waits for an operator counts as
 * ended.
 */
export async function openTasks(url: string): Promise<readonly string[]> {
  const rows = await queryOnce<{ task: string }>(
    url,
    `select concat_ws(' ', 'task', task_id, 'of', t.workflow, 'is', t.process_state,
                      'paused at ' || t.paused_at,
                      string_agg(concat_ws(' ', s.name, s.process_state, s.not_before, 'attempt ' || s.attempt,
                                          'complete by ' || s.complete_by), ', ')) as task
       from state.tasks t join state.steps s using (task_id)
      where t.process_state not in ('processed', 'undone', 'halted')
      group by task_id, t.workflow, t.process_state, t.paused_at`,
  );
  return rows.map(({ task }) => task);
}

export async function countOf(url: string, what: string): Promise<number> {
  const rows = await queryOnce<{ count: number }>(
    url,
    `select count(*)::integer as count from state.${what}`,
  );
  return rows[0]?.count ?? 0;
}
