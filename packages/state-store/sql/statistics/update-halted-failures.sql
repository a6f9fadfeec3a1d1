-- Notes of failures whether their tasks wait for an operator now.
update state.failures
   set halted = now.halted
  from unnest(:task_ids::uuid[], :halted::boolean[]) as now (task_id, halted)
 where failures.task_id = now.task_id
   and failures.halted <> now.halted;
