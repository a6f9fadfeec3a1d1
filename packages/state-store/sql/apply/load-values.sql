-- What refs name: inputs of tasks (asked for without a step) and outputs of steps. With the step's
-- own name asked for, also the input that an operator corrected. What is longer than anything that is ever
-- stored is left out: it is not to be parsed.
select asked.task_id, asked.name,
       case when octet_length(input::text) <= :most_bytes then input end as value,
       null::json as corrected_input, octet_length(input::text) as bytes
  from unnest(:task_ids::uuid[], :names::text[]) as asked (task_id, name)
  join state.task_payloads using (task_id)
 where asked.name is null
union all
select asked.task_id, asked.name,
       case when octet_length(output::text) <= :most_bytes then output end,
       case when octet_length(input::text) <= :most_bytes then input end,
       greatest(octet_length(output::text), octet_length(input::text), 0)
  from unnest(:task_ids::uuid[], :names::text[]) as asked (task_id, name)
  join state.step_payloads using (task_id, name);
