-- Takes business keys for new tasks: a key that no task has, or that its task has freed. A key of
-- another open task is left out of the answer. A key that was taken when its submission was
-- enqueued is its task's own.
insert into state.business_keys as taken (tenant, family, key, task_id)
select tenant, family, key, task_id
  from (select distinct on (tenant, family, key) *
          from unnest(:tenants::text[], :families::text[], :keys::text[], :task_ids::uuid[])
               with ordinality as submission (tenant, family, key, task_id, place)
         order by tenant, family, key, place) as first
    on conflict (tenant, family, key) do update
   set task_id = excluded.task_id
 where taken.task_id = excluded.task_id
    or state.has_freed_key(taken.task_id)
returning task_id;
