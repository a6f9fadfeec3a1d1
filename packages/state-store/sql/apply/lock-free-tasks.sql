-- Like lock-tasks, but skips tasks that another transaction has locked (SKIP LOCKED).
select task_id, workflow, goal, process_state, version, priority, fairness_key, fault_code,
       paused_at is not null as paused, (extract(epoch from paused_at) * 1000)::float8 as paused_at,
       (extract(epoch from begin_at) * 1000)::float8 as begin_at, reply_to,
       correlation_id, trace_context
  from state.tasks
 where task_id = any(:task_ids::uuid[])
   and task_id between :first_id and :last_id
   and format <= :format
 order by task_id
   for no key update skip locked;
