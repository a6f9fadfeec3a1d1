-- Stores what Agents report in their heartbeats, and deletes instances without a heartbeat for a
-- day. No index has a column that is updated, and what an instance performs stays where it is
-- stored, so that an update is HOT.
with beat as (
  select agent, instance, capacity, in_flight, breaker, open_for, lives_for,
         -- Names of operations hold no comma.
         string_to_array(operations, ',') as operations, string_to_array(contracts, ',') as contracts
    from unnest(:agents::text[], :instances::text[], :capacities::integer[], :in_flights::integer[],
                :breakers::text[], :open_fors::integer[], :lives_fors::float8[], :operations::text[],
                :contracts::text[])
      as beat (agent, instance, capacity, in_flight, breaker, open_for, lives_for, operations, contracts)
),
introduced as (
  insert into state.known_agents (agent)
  select distinct agent from beat
   where not exists (select from state.known_agents where known_agents.agent = beat.agent)
   order by agent
      on conflict do nothing
),
forgotten as (
  delete from state.agents
   where (agent, instance) in (select agent, instance
                                 from state.agents
                                where seen_at < (select state.trusted_now()) - interval '1 day'
                                  for update skip locked)
)
insert into state.agents as seen
       (agent, instance, capacity, in_flight, breaker, breaker_until, operations, contracts, seen_at, lives_until)
select agent, instance, capacity, in_flight, breaker,
       case when breaker = 'open' then clock_timestamp() + open_for * interval '1 millisecond' end,
       operations, contracts, clock_timestamp(), clock_timestamp() + lives_for * interval '1 millisecond'
  from beat
 order by agent, instance
    on conflict (agent, instance) do update
   set capacity      = excluded.capacity,
       in_flight     = excluded.in_flight,
       breaker       = excluded.breaker,
       breaker_until = excluded.breaker_until,
       operations    = case when seen.operations is distinct from excluded.operations
                            then excluded.operations else seen.operations end,
       contracts     = case when seen.contracts is distinct from excluded.contracts
                            then excluded.contracts else seen.contracts end,
       seen_at       = excluded.seen_at,
       lives_until   = excluded.lives_until;
