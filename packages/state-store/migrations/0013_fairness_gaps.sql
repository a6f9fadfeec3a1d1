-- What is cancelled, parked or requeued costs its fairness key nothing: see decision 0159.

-- phase: locks state.steps, state.fairness_keys
-- Of a step that has a rank by it: the fairness key of its task. Null: an earlier release ranked it.
alter table state.steps add column if not exists fairness_key text collate "C";
grant update (fairness_key) on state.steps to holdfast_submission, holdfast_operations;

-- From one step of the key to its next; the longest where their weights differ. Null: an earlier release counted it.
alter table state.fairness_keys add column if not exists stride interval;

-- phase: online
-- What waits in a queue now, so that its key goes on after it.
create or replace procedure state.fill_fairness_keys() language plpgsql as $$
declare
  latest uuid := '00000000-0000-0000-0000-000000000000';
begin
  loop
    with batch as materialized (
      select task_id, name
        from state.steps
       where process_state = 'pending'
         and rank >= '3000-01-01 00:00:00+00'
         and fairness_key is null
         and task_id > latest
       order by task_id
       limit 1000
         for no key update skip locked
    ),
    filled as (
      update state.steps
         set fairness_key = tasks.fairness_key
        from batch
        join state.tasks on tasks.task_id = batch.task_id
       where steps.task_id = batch.task_id
         and steps.name    = batch.name
    )
    select max(task_id::text)::uuid into latest from batch;
    exit when latest is null;
    commit;
  end loop;
end
$$;

-- phase: apart
call state.fill_fairness_keys();

-- phase: online
drop procedure state.fill_fairness_keys();

-- phase: apart
drop index concurrently if exists state.steps_{month}_by_key;
create index concurrently steps_{month}_by_key on state.steps_{month} (lane, band, fairness_key, rank)
  where process_state = 'pending' and rank is not null and fairness_key is not null;

-- phase: locks state.steps
-- The due steps of each fairness key, in their order.
create index steps_by_key on state.steps (lane, band, fairness_key, rank)
  where process_state = 'pending' and rank is not null and fairness_key is not null;

update state.compatibility set schema_version = greatest(schema_version, 20);
