-- What operations take and return, as hashes: which contract the steps of a workflow need, and which one each running
-- instance of an Agent has. See decision 0153.

-- phase: locks state.workflows, state.agents
-- By `<agent>.<operation>`; null: stored by a release that did not know of it, until the next migration.
alter table state.workflows add column contracts jsonb;
grant insert (contracts) on state.workflows to holdfast_submission;

-- In the order of the operations; empty: that one has none. Null: the instance does not say.
alter table state.agents add column contracts text[];

update state.compatibility set schema_version = greatest(schema_version, 17);
