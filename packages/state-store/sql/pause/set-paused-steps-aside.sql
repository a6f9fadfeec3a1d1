-- Takes due steps of paused workflows out of the way of the claim, until their workflow is resumed.
-- The lock on the pause keeps it from being lifted in between: the resume would not find these
-- steps.
with paused as materialized (
  select name
    from state.pauses
   where kind = 'workflow'
     and resumed_at is null
     for share
),
picked as materialized (
  select steps.task_id, steps.name
    from state.steps
    -- By an array, so that PostgreSQL 18 does not crash (decision 0086).
    join state.tasks on tasks.task_id = any (array_fill(steps.task_id, array[1]))
   where steps.process_state = 'pending'
     and steps.rank is not null
     and tasks.workflow in (select name from paused)
   limit 500
     for no key update of steps skip locked
),
aside as (
  update state.steps
     set rank = null, not_before = 'infinity'
    from picked
   where steps.task_id = picked.task_id
     and steps.name    = picked.name
  returning 1
)
select count(*)::integer as steps from aside;
