-- Unfinished tasks that were paused because they cannot be decided about, and those of the named
-- workflows.
select task_id, workflow, pause_reason
  from state.tasks
 where finished_at is null
   and (paused_by = :actor or workflow = any(:workflows::text[]))
 order by task_id
 limit :batch;
