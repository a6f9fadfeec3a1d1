-- The workflows of these tasks.
select task_id, workflow
  from state.tasks
 where task_id = any(:task_ids::uuid[])
   and task_id between :first_id and :last_id;
