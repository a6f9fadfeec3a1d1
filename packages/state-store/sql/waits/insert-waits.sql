-- Writes down what steps wait for that begin to wait. One whose signal is there already is due at
-- once, and one that people decide when they are to be reminded.
insert into state.waits (task_id, step, kind, signal, audience, deadline, due_at, came_at)
select wait.task_id, step, kind, signal, audience, to_timestamp(deadline / 1000),
       case when is_there then statement_timestamp()
            else least(to_timestamp(deadline / 1000), statement_timestamp() + remind_after * interval '1 millisecond') end,
       case when is_there then statement_timestamp() end
  from unnest(:task_ids::uuid[], :steps::text[], :kinds::text[], :signals::text[], :audiences::text[],
              :deadlines::float8[], :remind_afters::float8[])
    as wait (task_id, step, kind, signal, audience, deadline, remind_after)
 cross join lateral (
   select signal is not null
          and exists (select from state.signals
                       where signals.task_id = wait.task_id and name = signal and taken_by is null and not is_late)
            as is_there) as known;
