-- Resumes a schedule: what comes from now on fires, and what came meanwhile does not.
update state.schedules
   set paused_at = null, paused_by = null, pause_reason = null, failures = 0, skips = 0,
       next_instant = to_timestamp(:next_instant::float8 / 1000),
       due_at       = to_timestamp(:due_at::float8 / 1000),
       dealt_with   = clock_timestamp(),
       zone_rules   = :zone_rules
 where id = :id and paused_at is not null
returning id;
