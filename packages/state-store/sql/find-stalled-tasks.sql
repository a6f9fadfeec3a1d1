-- Of the next unfinished tasks, in the order of their ids, those that nobody touched for a while and that
-- have nothing to wait for; and after which task to go on: null, these were the last. A few at a time: with a
-- million tasks open, all of them would take longer than a statement may.
with unfinished as materialized (
  select task_id, process_state, paused_at, updated_at
    from state.tasks
   where finished_at is null
     and task_id > :after::uuid
   order by task_id
   limit 500
)
select (select coalesce(json_agg(task_id), '[]')
          from unfinished
         where process_state <> 'error'
           and paused_at is null
           and updated_at < statement_timestamp() - :untouched_for::float8 * interval '1 millisecond'
           and not exists (
                 select
                   from state.steps
                  where steps.task_id = unfinished.task_id
                    and steps.process_state in ('pending', 'processing', 'error'))) as task_ids,
       (select task_id from unfinished offset 499)                                 as next;
