-- Deletes failures of tasks whose months are dropped, and groups of which nothing is left or that are beyond the
-- last ten thousand.
with old_failures as (
  delete from state.failures
   where (task_id, step) in (select task_id, step
                               from state.failures
                              where task_id < (select state.first_id_of(min(month)) from state.partitions)
                              order by task_id
                              limit :batch)
  returning 1
),
old_groups as (
  delete from state.failure_groups
   where fingerprint in (
           select fingerprint
             from (select fingerprint, last_at from state.failure_groups order by last_at limit :batch) as oldest
            where last_at < coalesce((select last_at from state.failure_groups order by last_at desc
                                      offset :most_groups limit 1), '-infinity')
               or (last_at < state.trusted_now() - interval '1 day'
                   and not exists (select from state.failures where failures.fingerprint = oldest.fingerprint)))
  returning 1
)
select ((select count(*) from old_failures) + (select count(*) from old_groups))::integer as deleted;
