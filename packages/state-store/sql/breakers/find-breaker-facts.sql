-- The breakers that hold anything back now, the Agents behind them, and how many of their steps are
-- due: counted no further than to 10,000.
select breakers.service, coalesce(asked.agents, '{}') as agents, breakers.state, breakers.reason, breakers.actor as by,
       (extract(epoch from breakers.since) * 1000)::float8 as since,
       coalesce(breakers.open_until = 'infinity', false) as held,
       case when breakers.open_until < 'infinity'
            then (extract(epoch from breakers.open_until) * 1000)::float8 end as open_until,
       case when breakers.throttled_until > clock_timestamp()
            then (extract(epoch from breakers.throttled_until) * 1000)::float8 end as throttled_until,
       breakers.probe_task_id::text as probe,
       (select count(*)::integer
          from (select from state.steps
                 where process_state = 'pending' and rank is not null and lane = any(asked.lanes)
                 limit 10000) as due) as due
  from state.breakers
  left join lateral (
         select array_agg(distinct pool.agent) as agents, array_agg(distinct lane) as lanes
           from state.step_definitions
          cross join lateral string_to_table(lane, '+') as pool (agent)
           left join state.remotes on remotes.agent = pool.agent
          where coalesce(remotes.service, pool.agent) = breakers.service) as asked on true
 where breakers.state <> 'closed'
    or breakers.throttled_until > clock_timestamp()
 order by breakers.service
 limit 500;
