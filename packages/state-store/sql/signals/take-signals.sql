-- Writes down which steps signals have ended. Fails unless each was there and not taken.
with taken as (
  update state.signals
     set taken_by = ended.step
    from unnest(:task_ids::uuid[], :steps::text[], :ids::bigint[]) as ended (task_id, step, id)
   where signals.task_id = ended.task_id
     and signals.id = ended.id
     and taken_by is null
  returning signals.task_id
)
select state.expect_rows((select count(*) from taken), cardinality(:task_ids::uuid[])) as taken;
