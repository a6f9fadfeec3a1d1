-- Ids for new tasks, what time it is, and which of their workflows take none.
select state.new_task_id() as task_id, (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
       array(select name from state.workflows where name = any(:workflows) and retired_at is not null) as retired
  from generate_series(1, :count);
