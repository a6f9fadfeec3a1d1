-- Writes down where schedules stand that have dealt with what was due. Fails unless each was there.
with saved as (
  update state.schedules
     set next_instant = to_timestamp(change.next_instant / 1000),
         due_at       = case when trouble = 'paused' then null else to_timestamp(change.due_at / 1000) end,
         buffered     = to_timestamp(change.buffered / 1000),
         dealt_with   = greatest(schedules.dealt_with, to_timestamp(change.dealt_with / 1000)),
         last_task    = case when trouble = 'paused' then null else change.last_task end,
         failures     = change.failures,
         skips        = change.skips,
         zone_rules   = :zone_rules,
         paused_at    = case when trouble = 'paused' then clock_timestamp() end,
         paused_by    = case when trouble = 'paused' then :actor end,
         pause_reason = case when trouble = 'paused' then 'schedule.failing' end
    from unnest(:ids::text[], :next_instants::float8[], :due_ats::float8[], :buffereds::float8[], :dealt_withs::float8[],
                :last_tasks::uuid[], :failures::integer[], :skips::integer[], :troubles::text[])
      as change (id, next_instant, due_at, buffered, dealt_with, last_task, failures, skips, trouble)
   where schedules.id = change.id
  returning schedules.id, trouble, schedules.last_task
)
select state.expect_rows((select count(*) from saved), cardinality(:ids::text[])) as saved,
       (select count(state.raise_alert('schedule.' || trouble, id,
                     case trouble when 'paused'
                          then format('the schedule %s is paused, since its tasks failed again and again', id)
                          when 'unusable'
                          then format('the schedule %s cannot fire: its times or its input cannot be computed', id)
                          else format('the schedule %s skips one instant after the other: its last task, %s, has not ended',
                                      id, last_task) end)::text)
          from saved where trouble is not null)::integer as alerts;
