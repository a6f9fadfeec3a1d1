-- Takes business keys for new tasks: a key that no task has, or whose task has ended. A key of another open task is
-- left out of the answer. A task that this statement does not see counts as open: another transaction may just
-- have written it.
insert into state.business_keys as taken (tenant, family, key, task_id)
select tenant, family, key, task_id
  from (select distinct on (tenant, family, key) *
          from unnest(:tenants::text[], :families::text[], :keys::text[], :task_ids::uuid[])
               with ordinality as submission (tenant, family, key, task_id, place)
         order by tenant, family, key, place) as first
    on conflict (tenant, family, key) do update
   set task_id = excluded.task_id
 where exists (select from state.tasks
                where tasks.task_id = taken.task_id
                  and finished_at is not null)
returning task_id;
