-- The latest moves of the steps of one task, newest first: its attempts are made of them.
select step, action, from_state, to_state, attempt, actor, reason, at
  from state.events
 where task_id = :task_id
   and step is not null
 order by events.id desc
 limit :most;
