-- Where these tasks stand; one that was deleted is left out. One whose submission waits in the
-- inbox has not begun.
select task_id, version, process_state, finished_at is not null as has_ended
  from state.tasks
 where task_id = any(:task_ids::uuid[])
   and task_id between :first_id and :last_id
union all
select task_id, 0, 'pending', false
  from state.inbox
 where task_id = any(:task_ids::uuid[]);
