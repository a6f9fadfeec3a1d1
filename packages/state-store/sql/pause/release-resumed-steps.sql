-- Makes the steps due again that were set aside while their workflow was paused. When none is left,
-- the pause is history.
with resumed as materialized (
  select id, name
    from state.pauses
   where kind = 'workflow'
     and resumed_at is not null
     and released_at is null
     and not exists (select from state.pauses as other
                      where other.kind = 'workflow' and other.name = pauses.name
                        and other.resumed_at is null)
     for no key update skip locked
),
picked as materialized (
  select steps.task_id, steps.name, tasks.fairness_key is not null as has_key
    from state.steps
    -- By an array, so that PostgreSQL 18 does not crash (decision 0086).
    join state.tasks on tasks.task_id = any (array_fill(steps.task_id, array[1]))
   where steps.process_state = 'pending'
     and steps.rank is null
     and steps.not_before = 'infinity'
     and tasks.workflow in (select name from resumed)
   limit 500
     for no key update of steps
),
released as (
  update state.steps
     -- What has a fairness key is ranked when the next stage finds it.
     set not_before = statement_timestamp(), rank = case when not has_key then statement_timestamp() end
    from picked
   where steps.task_id = picked.task_id
     and steps.name    = picked.name
  returning 1
),
over as (
  update state.pauses
     set released_at = clock_timestamp()
   where id in (select id from resumed)
     and not exists (select from picked)
)
select count(*)::integer as steps from released;
