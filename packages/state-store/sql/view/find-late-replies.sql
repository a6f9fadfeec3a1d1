-- The latest replies about one task that changed nothing, newest first.
select step, attempt, reason, sender, at
  from state.rejected_replies
 where task_id = :task_id
 order by rejected_replies.id desc
 limit :most;
