-- Each store has an id, by which its services know their virtual host of RabbitMQ: see decision 0196.

-- phase: locks state.installation
-- A copy of the store, such as a restored one, has the id of the first.
alter table state.installation add column if not exists id uuid not null default gen_random_uuid();
grant select (id) on state.installation
   to holdfast_submission, holdfast_operations, holdfast_scheduler, holdfast_supervisor;

update state.compatibility set schema_version = greatest(schema_version, 30);
