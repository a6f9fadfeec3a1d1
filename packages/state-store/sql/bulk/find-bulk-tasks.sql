-- How these tasks stand.
select task_id, version, goal, process_state, fault_code
  from state.tasks
 where task_id = any(:task_ids::uuid[])
   and task_id between :first_id and :last_id;
