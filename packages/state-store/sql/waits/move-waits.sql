-- Moves deadlines on, and has a Scheduler look at waits whose task goes on. One for which has come
-- what it waits for is due. Fails unless each wait was there.
with moved as (
  update state.waits
     set deadline = to_timestamp(later.deadline / 1000),
         due_at   = coalesce(came_at,
                             least(to_timestamp(later.deadline / 1000),
                                   statement_timestamp() + later.remind_after * interval '1 millisecond'))
    from unnest(:task_ids::uuid[], :steps::text[], :deadlines::float8[], :remind_afters::float8[])
      as later (task_id, step, deadline, remind_after)
   where waits.task_id = later.task_id
     and waits.step = later.step
  returning waits.task_id
)
select state.expect_rows((select count(*) from moved), cardinality(:task_ids::uuid[])) as moved;
