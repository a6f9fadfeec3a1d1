-- Pauses a schedule: it fires no more until it is resumed, and what waits is skipped.
with known as materialized (
  select id, buffered from state.schedules where id = :id and paused_at is null for no key update
),
skipped as (
  update state.schedule_fires as waiting
     set outcome = 'skipped', at = clock_timestamp()
    from known
   where waiting.schedule = known.id and waiting.instant = known.buffered and waiting.outcome = 'buffered'
)
update state.schedules
   set paused_at = clock_timestamp(), paused_by = :actor, pause_reason = :reason, due_at = null, buffered = null
  from known
 where schedules.id = known.id
returning schedules.id;
