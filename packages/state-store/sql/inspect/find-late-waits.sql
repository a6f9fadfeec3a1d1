-- The waits that have been over for more than a minute and have not ended, and those that a
-- Scheduler holds because the clock jumped: of each at most 1,000, with the one that should have
-- ended first. Schedulers look again within a minute at a wait whose task is locked or cannot be
-- decided about: what they put off for longer is held.
with open as (
  (select 'late' as kind, task_id, step, least(deadline, came_at) as deadline, due_at
     from state.waits
    where due_at <= statement_timestamp() + interval '1 minute'
      and least(deadline, came_at) < statement_timestamp() - interval '1 minute'
    order by due_at
    limit 1000)
   union all
  (select 'held', task_id, step, least(deadline, came_at), due_at
     from state.waits
    where due_at > statement_timestamp() + interval '1 minute'
      and due_at <= statement_timestamp() + interval '15 minutes'
      and due_at > least(deadline, came_at)
    order by due_at
    limit 1000)
)
select kind, count(*)::integer as waits, max(due_at) as due_at, min(deadline) as deadline,
       (array_agg(task_id::text order by deadline))[1] as task_id,
       (array_agg(step order by deadline))[1]          as step
  from open
 group by kind
 order by kind desc;
