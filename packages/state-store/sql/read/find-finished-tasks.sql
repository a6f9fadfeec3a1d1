-- Which of these tasks have ended, or halted.
select task_id
  from state.tasks
 where task_id = any(:task_ids::uuid[])
   and task_id between :first_id and :last_id
   and (finished_at is not null or process_state = 'halted');
