-- Which of these tasks have a failure of a step on record.
select distinct task_id
  from state.failures
 where task_id = any(:task_ids::uuid[])
   and step <> '';
