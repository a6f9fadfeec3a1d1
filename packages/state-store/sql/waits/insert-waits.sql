-- Writes down what steps wait for that begin to wait.
insert into state.waits (task_id, step, kind, deadline, due_at)
select task_id, step, kind, to_timestamp(deadline / 1000), to_timestamp(deadline / 1000)
  from unnest(:task_ids::uuid[], :steps::text[], :kinds::text[], :deadlines::float8[])
    as wait (task_id, step, kind, deadline);
