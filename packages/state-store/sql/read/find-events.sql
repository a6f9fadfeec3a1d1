-- The history of one task, oldest first.
select id::text as id, step, action, from_state, to_state, attempt, actor, reason, note, at
  from state.events
 where task_id = :task_id
 order by events.id;
