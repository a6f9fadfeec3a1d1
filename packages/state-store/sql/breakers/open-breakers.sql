-- Opens the closed breakers of these services, and alerts an operator: once, and not again within
-- ten minutes, however often a service comes and goes. Returns those that were closed.
with opened as (
  insert into state.breakers as known (service, state, since, open_until, openings, actor, reason, alerted_at)
  select service, 'open', statement_timestamp(),
         statement_timestamp() + :open_for::float8 * interval '1 millisecond', 1, :actor, reason,
         statement_timestamp()
    from unnest(:services::text[], :reasons::text[]) as failing (service, reason)
   order by service
      on conflict (service) do update
     set state      = excluded.state,
         since      = excluded.since,
         open_until = excluded.open_until,
         openings   = excluded.openings,
         actor      = excluded.actor,
         reason     = excluded.reason,
         alerted_at = case when known.alerted_at > statement_timestamp() - interval '10 minutes'
                           then known.alerted_at else excluded.alerted_at end
   where known.state = 'closed'
  returning service, reason, alerted_at
),
alerted as (
  select service,
         case when alerted_at = statement_timestamp()
              then state.raise_alert('breaker.opened', service, reason) end as done
    from opened
)
select service from alerted;
