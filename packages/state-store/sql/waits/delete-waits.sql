-- Deletes what steps waited for that wait no longer. Fails unless each was there.
with ended as (
  delete from state.waits
   using unnest(:task_ids::uuid[], :steps::text[]) as ended (task_id, step)
   where waits.task_id = ended.task_id
     and waits.step = ended.step
  returning waits.task_id
)
select state.expect_rows((select count(*) from ended), cardinality(:task_ids::uuid[])) as ended;
