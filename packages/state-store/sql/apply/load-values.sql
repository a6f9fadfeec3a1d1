-- What refs name: inputs of tasks (asked for without a step) and outputs of steps. With the step's
-- own name asked for, also the input that an operator corrected: JSON's null is one, too. What is
-- longer than anything that is ever stored is left out: it is not to be parsed. So are all values
-- of a task with which those of the tasks before it come to more than :most bytes: the caller asks
-- for them once more, in parts.
with asked as (
  select asked.task_id, asked.name, input as value, null::json as corrected_input, octet_length(input::text) as bytes
    from unnest(:task_ids::uuid[], :names::text[]) as asked (task_id, name)
    join state.task_payloads using (task_id)
   where asked.name is null
  union all
  select asked.task_id, asked.name, output, input,
         greatest(octet_length(output::text), octet_length(input::text), 0)
    from unnest(:task_ids::uuid[], :names::text[]) as asked (task_id, name)
    join state.step_payloads using (task_id, name)
),
sized as (
  select *, sum(bytes) over (order by task_id) <= :most::float8 as fits from asked
)
select task_id, name,
       case when fits and bytes <= :most_bytes then value end as value,
       case when fits and bytes <= :most_bytes then corrected_input end as corrected_input,
       corrected_input is not null as has_corrected_input,
       bytes, fits
  from sized;
