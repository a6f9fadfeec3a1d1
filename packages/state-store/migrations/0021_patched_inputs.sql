-- A bulk operation resubmits steps with inputs that it changes alike: see decision 0188.

-- phase: locks state.bulk_operations
-- The changes of the input of each step (RFC 6902); null: the inputs stay as they are.
alter table state.bulk_operations
  add column if not exists patch json,
  drop constraint if exists only_resubmissions_have_a_patch,
  add constraint only_resubmissions_have_a_patch check (patch is null or action = 'resubmit') not valid;

-- phase: online
alter table state.bulk_operations validate constraint only_resubmissions_have_a_patch;

update state.compatibility set schema_version = greatest(schema_version, 28);
