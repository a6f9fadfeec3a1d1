-- The steps of one task as they stand, how each came there, and what of its Agent is due before it:
-- how many steps in each band, and whose, by fairness key, in its own band. Counted no further than
-- to 10,000.
select steps.name, steps.kind,
       -- What waits for a pool has no Agent: it has the names of all.
       case when steps.process_state in ('waiting', 'pending') then steps.lane
            else coalesce(steps.agent, steps.lane) end as agent,
       steps.process_state, steps.attempt,
       steps.failure_count, steps.requeue_count, steps.admitted, steps.fault_code,
       step_payloads.fault_detail, steps.locked_by, steps.confirmed_at is not null as confirmed,
       (extract(epoch from steps.start_by) * 1000)::float8    as start_by,
       (extract(epoch from steps.complete_by) * 1000)::float8 as complete_by,
       (extract(epoch from steps.started_at) * 1000)::float8  as started_at,
       (extract(epoch from steps.heartbeat_at) * 1000)::float8 as heartbeat_at, steps.progress,
       (extract(epoch from steps.not_before) * 1000)::float8  as not_before,
       steps.band::integer, tasks.fairness_key, tasks.fairness_weight::integer,
       (select coalesce(json_agg((select count(*)
                       from (select
                               from state.steps as rival
                              where rival.process_state = 'pending'
                                and rival.rank is not null
                                and rival.lane = steps.lane
                                and rival.band = before.band
                                and (rival.band < steps.band or rival.rank < steps.rank)
                              limit 10000) as earlier) order by before.band), '[]')
          from generate_series(0, steps.band) as before (band)
         where steps.process_state = 'pending') as due_before,
       (select coalesce(json_agg(json_build_object('key', key, 'steps', ahead) order by ahead desc, key), '[]')
          from (select rival_task.fairness_key as key, count(*) as ahead
                  from (select task_id
                          from state.steps as rival
                         where rival.process_state = 'pending'
                           and rival.rank is not null
                           and rival.lane = steps.lane
                           and rival.band = steps.band
                           and rival.rank < steps.rank
                         order by rival.rank
                         limit 1000) as rival
                  join state.tasks as rival_task on rival_task.task_id = rival.task_id
                 where rival_task.fairness_key is not null
                 group by rival_task.fairness_key
                 order by count(*) desc
                 limit 3) as keys) as keys_before,
       case when steps.process_state = 'awaiting' then
       (select count(*)
          from state.decisions
         where decisions.task_id = steps.task_id and decisions.step = steps.name and decision = 'approve')::integer
       end as approvals,
       latest.action as last_action, latest.reason as last_reason, latest.actor as last_actor,
       (extract(epoch from latest.at) * 1000)::float8 as since
  from state.steps
  join state.tasks on tasks.task_id = steps.task_id
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
