-- Has a Scheduler look at these waits later: their tasks were locked, or cannot be decided about.
update state.waits
   set due_at = statement_timestamp() + late.later_by * interval '1 millisecond'
  from unnest(:task_ids::uuid[], :steps::text[], :laters::float8[]) as late (task_id, step, later_by)
 where waits.task_id = late.task_id
   and waits.step = late.step;
