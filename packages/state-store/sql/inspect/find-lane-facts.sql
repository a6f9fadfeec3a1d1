-- The Agents of one task: how much of theirs is in flight, who has them wait, and how their living
-- instances do.
select asked.agent,
       (select count(*)
          from (select from state.steps as rival
                 where rival.process_state = 'processing' and coalesce(rival.agent, rival.lane) = asked.agent
                 limit 10000) as taken)::integer as in_flight,
       case when pauses.id is not null then
         json_build_object('at', extract(epoch from pauses.paused_at) * 1000,
                           'by', pauses.actor, 'reason', pauses.reason)
       end as paused,
       heard.instances, heard.slots, heard.broken, heard.broken_until,
       (select (extract(epoch from max(seen_at)) * 1000)::float8 from state.agents where agents.agent = asked.agent)
         as last_seen,
       exists (select from state.known_agents where known_agents.agent = asked.agent) as announces,
       case when breakers.state <> 'closed' or breakers.throttled_until > clock_timestamp() then
         json_build_object('service', breakers.service, 'state', breakers.state, 'reason', breakers.reason,
                           'by', breakers.actor, 'since', extract(epoch from breakers.since) * 1000,
                           'held', coalesce(breakers.open_until = 'infinity', false),
                           'openUntil', case when breakers.open_until < 'infinity'
                                             then extract(epoch from breakers.open_until) * 1000 end,
                           'throttledUntil', case when breakers.throttled_until > clock_timestamp()
                                                  then extract(epoch from breakers.throttled_until) * 1000 end,
                           'probe', breakers.probe_task_id,
                           'due', (select count(*)
                                     from (select from state.steps as due
                                            where due.process_state = 'pending' and due.rank is not null
                                              and due.lane = any (asked.lanes)
                                            limit 10000) as due))
       end as breaker
  from (select agents.agent, array_agg(distinct lane) as lanes
          from state.steps
         -- The lane of a pool has the names of all its Agents.
         cross join lateral string_to_table(lane || '+' || coalesce(steps.agent, lane), '+') as agents (agent)
         where task_id = :task_id
         group by agents.agent) as asked
  left join state.remotes on remotes.agent = asked.agent
  left join state.pauses on pauses.kind = 'agent' and pauses.name = asked.agent
                        and pauses.resumed_at is null
  left join state.breakers on breakers.service = coalesce(remotes.service, asked.agent)
 cross join lateral (
         select count(*)::integer as instances,
                coalesce((array_agg(capacity order by breaker = 'open', seen_at desc))[1:1000], '{}') as slots,
                (count(*) filter (where breaker = 'open'))::integer as broken,
                (extract(epoch from max(breaker_until) filter (where breaker = 'open')) * 1000)::float8
                  as broken_until
           from state.agents
          where agents.agent = asked.agent
            and agents.lives_until > clock_timestamp()
       ) as heard;
