-- Deletes a schedule. What it fired is kept.
delete from state.schedules where id = :id returning id;
