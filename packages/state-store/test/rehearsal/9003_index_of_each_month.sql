-- Rehearsal: an index of a table with partitions. Postgres cannot build it concurrently as a whole:
-- it is built for each month, and the index of the table then takes over what is there.

-- phase: apart
drop index concurrently if exists state.steps_{month}_by_operation;
create index concurrently steps_{month}_by_operation on state.steps_{month} (name, task_id);

-- phase: locks state.steps
create index steps_by_operation on state.steps (name, task_id);
