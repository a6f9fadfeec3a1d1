-- Ids for new tasks, what time it is, and which of their workflows take none, or are not what a
-- name without a version means.
select state.new_task_id() as task_id, (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
       known.retired, known.inactive
  from generate_series(1, :count)
 cross join (select array_agg(name) filter (where retired_at is not null) as retired,
                    array_agg(name) filter (where not is_active) as inactive
               from state.workflows
              where name = any(:workflows)) as known;
