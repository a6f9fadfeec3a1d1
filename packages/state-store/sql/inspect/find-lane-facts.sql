-- The Agents of one task: how much of theirs is in flight, who has them wait, and how those of their
-- instances do that sent a heartbeat in the last so many milliseconds.
select asked.agent,
       (select count(*)
          from (select from state.steps as rival
                 where rival.process_state = 'processing' and coalesce(rival.agent, rival.lane) = asked.agent
                 limit 10000) as taken)::integer as in_flight,
       case when pauses.id is not null then
         json_build_object('at', extract(epoch from pauses.paused_at) * 1000,
                           'by', pauses.actor, 'reason', pauses.reason)
       end as paused,
       heard.instances, heard.broken, heard.broken_until
  from (select distinct agents.agent
          from state.steps
         -- The lane of a pool has the names of all its Agents.
         cross join lateral string_to_table(lane || '+' || coalesce(steps.agent, lane), '+') as agents (agent)
         where task_id = :task_id) as asked
  left join state.pauses on pauses.kind = 'agent' and pauses.name = asked.agent
                        and pauses.resumed_at is null
 cross join lateral (
         select count(*)::integer as instances,
                (count(*) filter (where breaker = 'open'))::integer as broken,
                (extract(epoch from max(breaker_until) filter (where breaker = 'open')) * 1000)::float8
                  as broken_until
           from state.agents
          where agents.agent = asked.agent
            and agents.seen_at > clock_timestamp() - :heard_within::float8 * interval '1 millisecond'
       ) as heard;
