-- Of the next business keys, in order, deletes those whose task has ended or is gone; says after which key to go on:
-- null, these were the last. A task that is not seen is gone only if it was submitted long ago: another transaction
-- may just have written it.
with looked as materialized (
  select tenant, family, key, task_id
    from state.business_keys
   where (tenant, family, key) > (:tenant::text, :family::text, :key::text)
   order by tenant, family, key
   limit :batch
),
free as materialized (
  select tenant, family, key
    from looked
   where exists (select from state.tasks
                  where tasks.task_id = looked.task_id and finished_at is not null)
      or (looked.task_id < state.first_id_of(state.trusted_now() - interval '1 day')
          and not exists (select from state.tasks where tasks.task_id = looked.task_id))
),
deleted as (
  delete from state.business_keys as known
   using free
   where known.tenant = free.tenant
     and known.family = free.family
     and known.key    = free.key
     -- Unless another task has taken it since.
     and known.task_id = (select task_id from looked
                           where (looked.tenant, looked.family, looked.key) = (free.tenant, free.family, free.key))
  returning 1
)
select (select count(*)::integer from deleted) as deleted,
       (select json_build_object('tenant', tenant, 'family', family, 'key', key)
          from looked offset :batch - 1)       as next;
