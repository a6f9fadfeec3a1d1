-- Like lock-tasks, but leaves out the tasks that are in other hands.
select task_id, workflow, goal, process_state, version, priority, fault_code,
       paused_at is not null as paused, reply_to, correlation_id
  from state.tasks
 where task_id = any(:task_ids::uuid[])
   and task_id between :first_id and :last_id
   and format <= :format
 order by task_id
   for no key update skip locked;
