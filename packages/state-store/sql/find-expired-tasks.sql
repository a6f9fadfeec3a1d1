-- Tasks whose own limit has passed while they were still being done.
select task_id
  from state.tasks
 where complete_by <= statement_timestamp()
   and finished_at is null
   and goal = 'do'
 order by complete_by
 limit :batch;
