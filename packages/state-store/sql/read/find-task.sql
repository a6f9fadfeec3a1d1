-- One task of a tenant, with its steps and what is known of them, for people to read; without
-- payloads if they have more than :most_bytes together, and without steps if that is 0.
select tasks.task_id, tasks.workflow, tasks.goal, tasks.process_state, tasks.version, tasks.priority,
       case when tasks.fairness_key is not null then
         json_build_object('key', tasks.fairness_key, 'weight', tasks.fairness_weight)
       end as fairness,
       tasks.fault_code, tasks.business_key as key, coalesce(tasks.labels, '{}') as labels, tasks.begin_at as not_before,
       tasks.created_at, tasks.updated_at, tasks.finished_at, tasks.trace_context, tasks.submitted_by,
       payloads.bytes, case when payloads.bytes <= :most_bytes then task_payloads.input end as input,
       case when tasks.paused_at is not null then
         json_build_object('at', tasks.paused_at, 'by', tasks.paused_by, 'reason', tasks.pause_reason)
       end as paused,
       case when :most_bytes > 0 then
       (select json_agg(json_build_object(
                 'name', steps.name, 'kind', steps.kind, 'agent',
                 -- What waits for a pool has no Agent: it has the names of all.
                 case when steps.process_state in ('waiting', 'pending') then steps.lane
                      else coalesce(steps.agent, steps.lane) end,
                 'processState', steps.process_state, 'attempt', steps.attempt,
                 'failureCount', steps.failure_count, 'requeueCount', steps.requeue_count,
                 'lockedBy', steps.locked_by, 'completeBy', steps.complete_by,
                 'startedAt', steps.started_at, 'heartbeatAt', steps.heartbeat_at, 'progress', steps.progress,
                 'notBefore', steps.not_before, 'faultCode', steps.fault_code,
                 'awaiting', case when steps.process_state = 'awaiting' then
                               json_build_object('until', steps.not_before) end,
                 'output', case when payloads.bytes <= :most_bytes then step_payloads.output end,
                 'faultDetail', case when payloads.bytes <= :most_bytes then step_payloads.fault_detail end))
          from state.steps
          left join state.step_payloads using (task_id, name)
         where steps.task_id = tasks.task_id) end as steps
  from state.tasks
  join state.task_payloads using (task_id)
 cross join lateral (
         select octet_length(task_payloads.input::text)
                + coalesce(sum(coalesce(octet_length(step_payloads.output::text), 0)
                               + coalesce(octet_length(step_payloads.fault_detail), 0)), 0)::int as bytes
           from state.step_payloads
          where step_payloads.task_id = tasks.task_id
       ) as payloads
 where tasks.task_id = :task_id
   and tasks.tenant  = :tenant;
