-- Unfinished tasks that nobody touched for a while and that have nothing to wait for.
select task_id
  from state.tasks
 where finished_at is null
   and process_state <> 'error'
   and paused_at is null
   and updated_at < statement_timestamp() - :untouched_for::float8 * interval '1 millisecond'
   and not exists (
         select 1
           from state.steps
          where steps.task_id = tasks.task_id
            and steps.process_state in ('pending', 'processing', 'error'))
 order by task_id
 limit :batch;
