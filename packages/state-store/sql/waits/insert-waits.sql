-- Writes down what steps wait for that begin to wait. One whose signal is there already is due at
-- once.
insert into state.waits (task_id, step, kind, signal, deadline, due_at, came_at)
select wait.task_id, step, kind, signal, to_timestamp(deadline / 1000),
       case when is_there then statement_timestamp() else to_timestamp(deadline / 1000) end,
       case when is_there then statement_timestamp() end
  from unnest(:task_ids::uuid[], :steps::text[], :kinds::text[], :signals::text[], :deadlines::float8[])
    as wait (task_id, step, kind, signal, deadline)
 cross join lateral (
   select signal is not null
          and exists (select from state.signals
                       where signals.task_id = wait.task_id and name = signal and taken_by is null and not is_late)
            as is_there) as known;
