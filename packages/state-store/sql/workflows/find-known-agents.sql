-- The Agents that have ever sent a heartbeat, for how long (ms) each has been known, and what its
-- running instances announce together. An Agent that is down is known by those that ran last, for a
-- day; then it is silent.
with running as (
  select agent, operations
    from state.agents as instance
   where seen_at > (select max(seen_at) - interval '1 minute' from state.agents as other
                     where other.agent = instance.agent)
)
select agent, (extract(epoch from clock_timestamp() - first_seen) * 1000)::float8 as known_for,
       not exists (select from running where running.agent = known.agent) as is_silent,
       case
         when not exists (select from running where running.agent = known.agent) then null
         when exists (select from running where running.agent = known.agent and operations is null) then null
         else array(select distinct operation from running, unnest(operations) as operation
                     where running.agent = known.agent order by operation)
       end as operations
  from state.known_agents as known;
