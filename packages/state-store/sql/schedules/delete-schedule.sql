-- Deletes a schedule, and what waits is skipped. What it fired is kept.
with deleted as (
  delete from state.schedules where id = :id returning id
),
skipped as (
  update state.schedule_fires as waiting
     set outcome = 'skipped', at = clock_timestamp()
    from deleted
   where waiting.schedule = deleted.id and waiting.outcome = 'buffered'
)
select id from deleted;
