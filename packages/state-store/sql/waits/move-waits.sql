-- Moves deadlines on, and has a Scheduler look at waits whose task goes on. One whose signal has
-- come stays due. Fails unless each wait was there.
with moved as (
  update state.waits
     set deadline = to_timestamp(later.deadline / 1000),
         due_at   = case when came_at is null then to_timestamp(later.deadline / 1000) else due_at end
    from unnest(:task_ids::uuid[], :steps::text[], :deadlines::float8[]) as later (task_id, step, deadline)
   where waits.task_id = later.task_id
     and waits.step = later.step
  returning waits.task_id
)
select state.expect_rows((select count(*) from moved), cardinality(:task_ids::uuid[])) as moved;
