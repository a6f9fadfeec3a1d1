-- Where these tasks stand; one that was deleted is left out.
select task_id, version, process_state, finished_at is not null as has_ended
  from state.tasks
 where task_id = any(:task_ids::uuid[])
   and task_id between :first_id and :last_id;
