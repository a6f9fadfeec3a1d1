-- What about schedules needs a person: those that should have fired a minute ago or more, those
-- that skip one instant after the other, and those that Holdfast paused. Of each kind how many
-- there are, counted to 1,000, and the first.
with trouble as (
  (select 'late' as kind, id, due_at as since, last_task
     from state.schedules
    where due_at < statement_timestamp() - interval '1 minute'
    order by due_at
    limit 1000)
   union all
  (select 'blocked', id, null, last_task
     from state.schedules
    where skips >= :blocked_after::integer and paused_at is null
    order by id
    limit 1000)
   union all
  (select 'paused', id, paused_at, null
     from state.schedules
    where paused_at is not null and pause_reason = 'schedule.failing'
    order by paused_at
    limit 1000)
)
select kind, count(*)::integer as schedules, min(since) as since,
       (array_agg(id order by since, id))[1]              as id,
       (array_agg(last_task::text order by since, id))[1] as last_task
  from trouble
 group by kind
 order by kind;
