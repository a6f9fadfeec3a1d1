-- What refs name: inputs of tasks (asked for without a step) and outputs of steps. With the step's
-- own name asked for, also the input that an operator corrected.
select asked.task_id, asked.name, task_payloads.input as value, null::json as corrected_input
  from unnest(:task_ids::uuid[], :names::text[]) as asked (task_id, name)
  join state.task_payloads using (task_id)
 where asked.name is null
union all
select asked.task_id, asked.name, step_payloads.output, step_payloads.input
  from unnest(:task_ids::uuid[], :names::text[]) as asked (task_id, name)
  join state.step_payloads using (task_id, name);
