-- Keeps what Agents say of themselves, and forgets those that have not been heard of for a day.
with beat as (
  select *
    from unnest(:agents::text[], :instances::text[], :capacities::integer[], :in_flights::integer[],
                :breakers::text[], :open_fors::integer[])
      as beat (agent, instance, capacity, in_flight, breaker, open_for)
),
forgotten as (
  delete from state.agents where seen_at < statement_timestamp() - interval '1 day'
)
insert into state.agents as known (agent, instance, capacity, in_flight, breaker, breaker_until, seen_at)
select agent, instance, capacity, in_flight, breaker,
       case when breaker = 'open' then clock_timestamp() + open_for * interval '1 millisecond' end,
       clock_timestamp()
  from beat
    on conflict (agent, instance) do update
   set capacity      = excluded.capacity,
       in_flight     = excluded.in_flight,
       breaker       = excluded.breaker,
       breaker_until = excluded.breaker_until,
       seen_at       = excluded.seen_at;
