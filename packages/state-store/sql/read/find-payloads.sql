-- Payloads of a task as text, of as many of these steps as have no more than :most bytes together,
-- but of the first one always. Without a name: the input of the task.
with asked as (
  select asked.position, asked.name,
         case when asked.name is null then task_payloads.input else step_payloads.output end::text as payload,
         step_payloads.fault_detail
    from unnest(:names::text[]) with ordinality as asked (name, position)
    join state.task_payloads on task_payloads.task_id = :task_id
    left join state.step_payloads on step_payloads.task_id = :task_id
                                 and step_payloads.name    = asked.name
),
sized as (
  select *, sum(coalesce(octet_length(payload), 0) + coalesce(octet_length(fault_detail), 0)) over (order by position) as bytes
    from asked
)
select name, payload, fault_detail
  from sized
 where bytes <= :most::float8 or position = 1
 order by position;
