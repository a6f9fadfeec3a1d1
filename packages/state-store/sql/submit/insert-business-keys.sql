-- Takes business keys for new tasks: a key that no task has, or whose task has ended or went with its month. A key of
-- another open task is left out of the answer. A task that this statement does not see counts as open as long as
-- its month is there, or it may have been submitted today: another transaction may just have written it, or it waits in
-- the inbox. A key that was taken when its submission was enqueued is its task's own.
insert into state.business_keys as taken (tenant, family, key, task_id)
select tenant, family, key, task_id
  from (select distinct on (tenant, family, key) *
          from unnest(:tenants::text[], :families::text[], :keys::text[], :task_ids::uuid[])
               with ordinality as submission (tenant, family, key, task_id, place)
         order by tenant, family, key, place) as first
    on conflict (tenant, family, key) do update
   set task_id = excluded.task_id
 where taken.task_id = excluded.task_id
    or exists (select from state.tasks
                where tasks.task_id = taken.task_id
                  and finished_at is not null)
    or (taken.task_id < (select state.first_id_of(state.trusted_now() - interval '1 day'))
        and not exists (select from state.partitions
                         where taken.task_id >= state.first_id_of(month)
                           and taken.task_id < end_id)
        and not exists (select from state.tasks where tasks.task_id = taken.task_id))
returning task_id;
