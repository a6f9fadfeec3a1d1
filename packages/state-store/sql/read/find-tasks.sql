-- Tasks that match, newest first. Looks at `scan` tasks at most, by their primary key, however many there are:
-- `last_id` is the last of them, from which the next page goes on; null when there are no more.
with looked as materialized (
  select task_id, tenant, workflow, goal, process_state, version, priority, fairness_key, fairness_weight, fault_code,
         correlation_id,
         paused_at, created_at, updated_at, finished_at
    from state.tasks
   where task_id < :before
     and task_id >= :from
   order by task_id desc
   limit :scan
),
matching as (
  select *
    from looked
   where tenant = :tenant
     and (:workflows::text[] is null or workflow = any(:workflows))
     and (:state::text is null or process_state = :state)
     and (:fault_code::text is null or fault_code = :fault_code)
     and (:correlation_id::text is null or correlation_id = :correlation_id)
   order by task_id desc
   limit :most
)
select (select coalesce(json_agg(json_build_object(
                 'taskId', task_id, 'workflow', workflow, 'goal', goal, 'processState', process_state,
                 'version', version, 'priority', priority,
                 'fairness', case when fairness_key is not null
                   then json_build_object('key', fairness_key, 'weight', fairness_weight) end,
                 'faultCode', fault_code,
                 'correlationId', correlation_id, 'paused', paused_at is not null,
                 'createdAt', created_at, 'updatedAt', updated_at, 'finishedAt', finished_at)
                 order by task_id desc), '[]')
          from matching) as items,
       case when (select count(*) from matching) = :most then (select task_id from matching order by task_id limit 1)
            when (select count(*) from looked) = :scan then (select task_id from looked order by task_id limit 1)
       end as last_id;
