-- The Agents of one task: how much of theirs is in flight, who has them wait, and how those of their
-- instances do that sent a heartbeat in the last so many milliseconds.
select lane as agent,
       (select count(*)
          from (select from state.steps as rival
                 where rival.process_state = 'processing' and rival.lane = asked.lane
                 limit 10000) as taken)::integer as in_flight,
       case when pauses.id is not null then
         json_build_object('at', extract(epoch from pauses.paused_at) * 1000,
                           'by', pauses.actor, 'reason', pauses.reason)
       end as paused,
       heard.instances, heard.broken, heard.broken_until
  from (select distinct lane from state.steps where task_id = :task_id) as asked
  left join state.pauses on pauses.kind = 'agent' and pauses.name = asked.lane
                        and pauses.resumed_at is null
 cross join lateral (
         select count(*)::integer as instances,
                (count(*) filter (where breaker = 'open'))::integer as broken,
                (extract(epoch from max(breaker_until) filter (where breaker = 'open')) * 1000)::float8
                  as broken_until
           from state.agents
          where agents.agent = asked.lane
            and agents.seen_at > clock_timestamp() - :heard_within::float8 * interval '1 millisecond'
       ) as heard;
