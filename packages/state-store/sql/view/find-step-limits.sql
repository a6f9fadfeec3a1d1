-- How long an attempt of each step of a task may take, and the input that an operator gave it;
-- null: it has its own, or those inputs have more than :most_bytes together.
select steps.name, steps.start_within, steps.complete_within,
       case when sum(octet_length(step_payloads.input::text)) over () <= :most_bytes::float8 then step_payloads.input end as input
  from state.steps
  left join state.step_payloads using (task_id, name)
 where steps.task_id = :task_id;
