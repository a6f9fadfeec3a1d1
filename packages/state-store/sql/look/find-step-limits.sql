-- How long an attempt of each step of a task may take, and the input that an operator gave it; null: it has its own.
select steps.name, steps.start_within, steps.complete_within, step_payloads.input
  from state.steps
  left join state.step_payloads using (task_id, name)
 where steps.task_id = :task_id;
