-- Rehearsal: columns on tables that are full. A default that is a constant, or none, rewrites no
-- row.

-- phase: locks state.tasks, state.task_payloads
alter table state.tasks add column channel text not null default 'unknown';
alter table state.task_payloads add column bytes integer;

update state.compatibility set schema_version = 9002;
