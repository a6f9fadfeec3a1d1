-- Of the next business keys, in their order and from where the last look stopped, deletes those
-- whose task has ended or is gone. Returns how many, and whether these were the last: then the next
-- look begins at the first key. While another Supervisor looks, these are none. A task that is not
-- seen is gone only if it was submitted long ago: another transaction may just have written it; and
-- none of the inbox is.
with place as materialized (
  select tenant, family, key
    from state.business_key_sweep
     for update skip locked
),
scanned as materialized (
  select known.tenant, known.family, known.key, known.task_id
    from place
   cross join lateral (
     select tenant, family, key, task_id
       from state.business_keys
      where (business_keys.tenant, business_keys.family, business_keys.key) > (place.tenant, place.family, place.key)
      order by tenant, family, key
      limit :batch
   ) as known
),
free as materialized (
  select tenant, family, key, task_id
    from scanned
   where exists (select from state.tasks
                  where tasks.task_id = scanned.task_id and finished_at is not null)
      or (scanned.task_id < (select state.first_id_of(state.trusted_now() - interval '1 day'))
          and not exists (select from state.tasks where tasks.task_id = scanned.task_id)
          and not exists (select from state.inbox where inbox.task_id = scanned.task_id))
),
deleted as (
  delete from state.business_keys as known
   using free
   where known.tenant  = free.tenant
     and known.family  = free.family
     and known.key     = free.key
     -- Unless another task has taken it since.
     and known.task_id = free.task_id
  returning 1
),
next as materialized (
  select tenant, family, key from scanned order by tenant, family, key offset :batch - 1
),
moved as (
  update state.business_key_sweep
     set tenant = coalesce((select tenant from next), ''),
         family = coalesce((select family from next), ''),
         key    = coalesce((select key from next), '')
   where exists (select from place)
)
select (select count(*)::integer from deleted) as deleted,
       not exists (select from next)           as is_last;
