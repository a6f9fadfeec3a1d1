-- Keeps the claim, which does not ask for their tasks, from the steps of locked tasks that it could
-- take. All other steps only ever change under the lock of their task: locking them too would write
-- to each row for nothing.
select task_id
  from state.steps
 where task_id = any(:task_ids::uuid[])
   and task_id between :first_id and :last_id
   and process_state = 'pending'
 order by task_id, name
   for no key update;
