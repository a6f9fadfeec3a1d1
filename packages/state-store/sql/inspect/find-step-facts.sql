-- The steps of one task as they stand, how each came there, and how many of its Agent's are due before it.
select steps.name, steps.kind, steps.lane as agent, steps.process_state, steps.attempt,
       steps.failure_count, steps.requeue_count, steps.admitted, steps.fault_code,
       step_payloads.fault_detail, steps.locked_by, steps.dispatched_at is not null as dispatched,
       (extract(epoch from steps.start_by) * 1000)::float8    as start_by,
       (extract(epoch from steps.complete_by) * 1000)::float8 as complete_by,
       (extract(epoch from steps.not_before) * 1000)::float8  as not_before,
       (select count(*)
          from (select
                  from state.steps as rival
                 where rival.process_state = 'pending'
                   and rival.rank is not null
                   and rival.lane = steps.lane
                   and rival.rank < steps.rank
                 limit 10000) as earlier)::integer as due_before,
       latest.action as last_action, latest.reason as last_reason, latest.actor as last_actor,
       (extract(epoch from latest.at) * 1000)::float8 as since
  from state.steps
  left join state.step_payloads on step_payloads.task_id = steps.task_id
                               and step_payloads.name = steps.name
  left join lateral (
         select action, reason, actor, at
           from state.events
          where events.task_id = steps.task_id
            and events.step = steps.name
          order by events.id desc
          limit 1) as latest on true
 where steps.task_id = :task_id;
