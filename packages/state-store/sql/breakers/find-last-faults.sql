-- What attempts at these remote services ended with last, by code, the latest first: of the next
-- steps that wait and were tried before, 100 for each service. With the words of the fault where
-- the step still has it.
select asked.service, last.reason as code,
       (extract(epoch from max(last.at)) * 1000)::float8 as at,
       (array_agg(last.detail order by last.at desc))[1] as detail
  from (select coalesce(remotes.service, pool.agent) as service, array_agg(distinct lane) as lanes
          from state.step_definitions
         cross join lateral string_to_table(lane, '+') as pool (agent)
          left join state.remotes on remotes.agent = pool.agent
         where coalesce(remotes.service, pool.agent) = any(:services::text[])
         group by coalesce(remotes.service, pool.agent)) as asked
 cross join lateral (
        select events.reason, events.at,
               case when due.fault_code = events.reason then step_payloads.fault_detail end as detail
          from (select task_id, name, fault_code
                  from ((select task_id, name, fault_code, attempt
                           from state.steps
                          where process_state = 'pending'
                            and rank is not null
                            and lane = any(asked.lanes)
                          order by lane, band, rank
                          limit 1000)
                        union all
                        select task_id, name, fault_code, attempt
                          from (select task_id, name, fault_code, attempt, lane
                                  from state.steps
                                 where process_state = 'pending'
                                   and rank is null
                                 order by not_before
                                 limit 1000) as delayed
                         where lane = any(asked.lanes)) as waiting
                 where attempt > 0
                 limit 100) as due
          join state.events on events.task_id = due.task_id
                           and events.step = due.name
                           and events.action in ('retry', 'coolDown', 'requeue')
          left join state.step_payloads on step_payloads.task_id = due.task_id
                                       and step_payloads.name = due.name) as last
 where last.reason is not null
 group by asked.service, last.reason
 order by max(last.at) desc
 limit 100;
