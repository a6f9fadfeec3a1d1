-- Pauses a schedule: it fires no more until it is resumed.
update state.schedules
   set paused_at = clock_timestamp(), paused_by = :actor, pause_reason = :reason, due_at = null, buffered = null
 where id = :id and paused_at is null
returning id;
