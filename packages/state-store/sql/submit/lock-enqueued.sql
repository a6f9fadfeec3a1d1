-- Locks submissions of the inbox until their tasks are written. One that another process has taken
-- is left out.
select task_id
  from state.inbox
 where task_id = any(:task_ids::uuid[])
 order by task_id
   for update;
