-- Steps whose complete-by time has passed, without locks: who decides locks their tasks and looks again.
select task_id, name as step, attempt, token
  from state.steps
 where process_state = 'processing'
   and complete_by <= statement_timestamp()
 order by complete_by
 limit :batch;
