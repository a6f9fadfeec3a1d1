import { queryOnce } from "@holdfast/local-stack";

/** Ends a task as if its steps were done, or has it stand in another state, for tests. */
export const finishTask = (
  url: string,
  taskId: string,
  state = "processed",
  { isOver = true }: { readonly isOver?: boolean } = {},
) =>
  queryOnce(
    url,
    `set session_replication_role = replica;
     update state.steps set process_state = 'processed', rank = null, not_before = null where task_id = '${taskId}';
     update state.tasks set process_state = '${state}', finished_at = ${isOver ? "now()" : "null"}, version = version + 1,
            goal = case when '${state}' = 'undone' then 'undo' else goal end
      where task_id = '${taskId}'`,
  );
