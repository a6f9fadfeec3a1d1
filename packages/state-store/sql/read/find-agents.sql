-- Every Agent that stored workflows call or that has ever sent a heartbeat, with its instances,
-- those that live first, and what waits for it: a page, by name. All counts end somewhere: 100
-- instances of each, 100,000 steps in flight, and 1,000 due steps of each Agent.
with named as (
  select distinct agent
    from state.workflows
   cross join lateral unnest(lanes) as agent
   where workflows.format <= :format
     -- A lane of a pool has the names of several.
     and strpos(agent, '+') = 0
),
listed as materialized (
  select agent from (select agent from state.known_agents union select agent from named) as every_agent
   where agent > coalesce(:after::text, '')
   order by agent
   limit :most
),
in_flight as materialized (
  select lane, count(*)::integer as steps
    from (select lane
            from state.steps
           where process_state = 'processing'
             and task_id between :first_id and :last_id
           order by complete_by
           limit 100000) as taken
   group by lane
)
select listed.agent as name,
       coalesce(living.instances, 0) as living, coalesce(living.slots, 0) as slots,
       coalesce((select steps from in_flight where lane = listed.agent), 0) as in_flight,
       due.steps as due,
       (extract(epoch from clock_timestamp() - due.since) * 1000)::float8 as due_for,
       case when pauses.id is not null then
         json_build_object('at', extract(epoch from pauses.paused_at) * 1000,
                           'by', pauses.actor, 'reason', pauses.reason)
       end as paused,
       (select coalesce(json_agg(json_build_object(
                 'name', instance, 'slots', capacity, 'inFlight', in_flight, 'breaker', breaker,
                 'openUntil', case when breaker = 'open' then extract(epoch from breaker_until) * 1000 end,
                 'lastSeen', extract(epoch from seen_at) * 1000, 'living', is_living)
                 order by is_living desc, seen_at desc), '[]')
          from (select instance, capacity, in_flight, breaker, breaker_until, seen_at,
                       lives_until > clock_timestamp() as is_living
                  from state.agents
                 where agents.agent = listed.agent
                 order by lives_until > clock_timestamp() desc, seen_at desc
                 limit 100) as latest) as instances
  from listed
  left join state.pauses on pauses.kind = 'agent' and pauses.name = listed.agent
                        and pauses.resumed_at is null
 cross join lateral (
         select count(*)::integer as instances, sum(capacity)::float8 as slots
           from state.agents
          where agents.agent = listed.agent and lives_until > clock_timestamp()
       ) as living
 cross join lateral (
         select count(*)::integer as steps, min(not_before) as since
           from (select not_before
                   from state.steps
                  where process_state = 'pending'
                    and rank is not null
                    and task_id between :first_id and :last_id
                    and lane = listed.agent
                  order by band, rank
                  limit 1000) as waiting
       ) as due
 order by listed.agent;
