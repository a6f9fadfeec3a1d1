-- Ids for new tasks, and what time it is.
select state.new_task_id() as task_id, (extract(epoch from clock_timestamp()) * 1000)::float8 as now
  from generate_series(1, :count);
