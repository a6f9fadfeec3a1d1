-- The Agents of one task: how much of theirs is in flight, who has them wait, and how their living instances do.
select lane as agent,
       (select count(*)
          from (select from state.steps as rival
                 where rival.process_state = 'processing' and rival.lane = asked.lane
                 limit 10000) as taken)::integer as in_flight,
       case when pauses.id is not null then
         json_build_object('at', extract(epoch from pauses.paused_at) * 1000,
                           'by', pauses.actor, 'reason', pauses.reason)
       end as paused,
       heard.instances, heard.slots, heard.broken, heard.broken_until
  from (select distinct lane from state.steps where task_id = :task_id) as asked
  left join state.pauses on pauses.kind = 'agent' and pauses.name = asked.lane
                        and pauses.resumed_at is null
 cross join lateral (
         select count(*)::integer as instances,
                coalesce((array_agg(capacity order by breaker = 'open', seen_at desc))[1:1000], '{}') as slots,
                (count(*) filter (where breaker = 'open'))::integer as broken,
                (extract(epoch from max(breaker_until) filter (where breaker = 'open')) * 1000)::float8
                  as broken_until
           from state.agents
          where agents.agent = asked.lane
            and agents.lives_until > clock_timestamp()
       ) as heard;
