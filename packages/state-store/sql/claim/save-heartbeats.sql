-- Stores what Agents report in their heartbeats, and deletes instances without a heartbeat for a day.
with beat as (
  select agent, instance, capacity, in_flight, breaker, open_for,
         -- Names of operations hold no comma.
         string_to_array(operations, ',') as operations
    from unnest(:agents::text[], :instances::text[], :capacities::integer[], :in_flights::integer[],
                :breakers::text[], :open_fors::integer[], :operations::text[])
      as beat (agent, instance, capacity, in_flight, breaker, open_for, operations)
),
introduced as (
  insert into state.known_agents (agent)
  select distinct agent from beat
   where not exists (select from state.known_agents where known_agents.agent = beat.agent)
      on conflict do nothing
),
forgotten as (
  delete from state.agents where seen_at < statement_timestamp() - interval '1 day'
)
insert into state.agents as seen
       (agent, instance, capacity, in_flight, breaker, breaker_until, operations, seen_at)
select agent, instance, capacity, in_flight, breaker,
       case when breaker = 'open' then clock_timestamp() + open_for * interval '1 millisecond' end,
       operations, clock_timestamp()
  from beat
    on conflict (agent, instance) do update
   set capacity      = excluded.capacity,
       in_flight     = excluded.in_flight,
       breaker       = excluded.breaker,
       breaker_until = excluded.breaker_until,
       operations    = excluded.operations,
       seen_at       = excluded.seen_at;
