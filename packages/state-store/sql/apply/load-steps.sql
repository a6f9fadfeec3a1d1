-- The steps of locked tasks, and what time it is now that all locks are held.
select task_id, name, agent, process_state, locked_by, token, attempt, failure_count, requeue_count,
       cool_downs, key_generation, admitted, may_have_effect, fault_code,
       confirmed_at is not null                  as confirmed, resent,
       (extract(epoch from not_before) * 1000)::float8        as not_before,
       (extract(epoch from start_by) * 1000)::float8          as start_by,
       (extract(epoch from complete_by) * 1000)::float8       as complete_by,
       (extract(epoch from clock_timestamp()) * 1000)::float8 as now
  from state.steps
 where task_id = any(:task_ids::uuid[])
   and task_id between :first_id and :last_id
 order by task_id, name;
