-- phase: locks state.steps
-- Whether the request of a step was published again: then two copies of it may be in queues or with Agents, and
-- what becomes of one of them says nothing about the other. Services of the release before leave it as it is.
alter table state.steps add column relayed boolean not null default false;

update state.compatibility set schema_version = 5;
