-- The trace that a task belongs to, as W3C Trace Context writes it, and a tracestate after a space: see decision 0123.
-- Null while there are no traces. Written once, in no index, and without a default: no row is rewritten.

-- phase: locks state.tasks, state.outbox
alter table state.tasks add column trace_context text;
alter table state.outbox add column trace_context text;

update state.compatibility set schema_version = greatest(schema_version, 12);
