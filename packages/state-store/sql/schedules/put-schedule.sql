-- Makes a schedule, or changes its definition: what the new one says holds from now on. The same
-- definition again changes nothing. What waits is skipped where it changes.
with changed as (
  insert into state.schedules as known (id, definition, next_instant, due_at, zone_rules, changed_by)
  values (:id, :definition::json, to_timestamp(:next_instant::float8 / 1000), to_timestamp(:due_at::float8 / 1000), :zone_rules, :actor)
      on conflict (id) do update
     set definition   = excluded.definition,
         version      = known.version + 1,
         next_instant = excluded.next_instant,
         due_at       = case when known.paused_at is null then excluded.due_at end,
         buffered     = null,
         dealt_with   = clock_timestamp(),
         zone_rules   = excluded.zone_rules,
         changed_at   = clock_timestamp(),
         changed_by   = excluded.changed_by
   where known.definition::text <> excluded.definition::text
  returning id
),
skipped as (
  update state.schedule_fires as waiting
     set outcome = 'skipped', at = clock_timestamp()
    from changed
   where waiting.schedule = changed.id and waiting.outcome = 'buffered'
)
select id from changed;
