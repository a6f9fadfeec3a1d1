-- Stores which remote services the Agents of a workflow in use wrap. What another workflow said
-- stands as long as one that is not retired says so. Returns what contradicts that; no row: all is
-- stored, or the workflow is retired.
with asked as materialized (
  select agent, service, shares_keys
    from unnest(:agents::text[], :services::text[], :shares_keys::boolean[]) as asked (agent, service, shares_keys)
   where exists (select from state.workflows where name = :name and retired_at is null)
   -- Locked in one order by all.
   order by agent
),
differing as materialized (
  select asked.agent, asked.service, asked.shares_keys,
         known.service as known_service, known.shares_keys as known_shares_keys
    from asked
    left join state.remotes as known on known.agent = asked.agent
   where (known.service, known.shares_keys) is distinct from (asked.service, asked.shares_keys)
),
taken as (
  insert into state.remotes as known (agent, service, shares_keys)
  select agent, service, shares_keys from differing
   order by agent
      on conflict (agent) do update
     set service     = excluded.service,
         shares_keys = excluded.shares_keys
   where (known.service, known.shares_keys) = (excluded.service, excluded.shares_keys)
      or not exists (select from state.workflows
                      where retired_at is null
                        and definition -> 'remotes' -> known.agent ->> 'service' = known.service
                        and coalesce(definition -> 'remotes' -> known.agent ->> 'sharesKeys', 'false')
                          = known.shares_keys::text)
  returning agent
)
select agent, known_service as service, known_shares_keys as shares_keys,
       (select name from state.workflows
         where retired_at is null
           and definition -> 'remotes' -> agent ->> 'service' = known_service
         order by name
         limit 1) as workflow
  from differing
 where not exists (select from taken where taken.agent = differing.agent)
 order by agent;
