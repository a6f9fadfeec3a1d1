-- The inputs of tasks and the outputs of their steps: all that a ref can name.
select task_id, null as name, input as value, null as corrected_input
  from state.task_payloads
 where task_id = any(:task_ids::uuid[])
union all
select task_id, name, output, input
  from state.step_payloads
 where task_id = any(:task_ids::uuid[]);
