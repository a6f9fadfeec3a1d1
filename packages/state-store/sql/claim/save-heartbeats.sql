-- Stores what Agents report in their heartbeats, and deletes Agents without a heartbeat for a day.
with beat as (
  select *
    from unnest(:agents::text[], :instances::text[], :capacities::integer[], :in_flights::integer[],
                :breakers::text[], :open_fors::integer[])
      as beat (agent, instance, capacity, in_flight, breaker, open_for)
),
-- One row for each Agent. Names of operations hold no comma.
announced as (
  select agent, string_to_array(operations, ',') as operations
    from unnest(:announcers::text[], :announcements::text[]) as announced (agent, operations)
),
introduced as (
  insert into state.known_agents (agent, operations)
  select agent, operations from announced
   where not exists (select from state.known_agents where known_agents.agent = announced.agent)
      on conflict do nothing
),
-- Another Scheduler may be writing the same Agents in another order: the next heartbeat writes what is skipped.
changed as (
  select agent, announced.operations
    from state.known_agents as known
    join announced using (agent)
   where known.operations is distinct from announced.operations
     for update of known skip locked
),
replaced as (
  update state.known_agents as known
     set operations = changed.operations
    from changed
   where known.agent = changed.agent
),
forgotten as (
  delete from state.agents where seen_at < statement_timestamp() - interval '1 day'
)
insert into state.agents as seen (agent, instance, capacity, in_flight, breaker, breaker_until, seen_at)
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
