-- Rehearsal: a table is replaced by a view of the same name, with the same rights. Services go on
-- to read and write it.

-- phase: locks state.known_agents
alter table state.known_agents rename to agent_names;
alter table state.agent_names add column channel text;
create view state.known_agents as select agent, first_seen from state.agent_names;
alter view state.known_agents alter column first_seen set default clock_timestamp();
grant select on state.known_agents to holdfast_submission, holdfast_operations;
grant select, insert on state.known_agents to holdfast_scheduler;
