-- Deletes failures of tasks whose months are dropped, and groups of which nothing is left or that
-- are beyond the last ten thousand.
with months as materialized (
  select state.first_id_of(month) as first_id, end_id from state.partitions
),
-- Before the first month, and between two of them: one with an unfinished task stays when later
-- ones are dropped.
dropped as materialized (
  select coalesce(lag(end_id) over (order by first_id), '00000000-0000-0000-0000-000000000000') as from_id,
         first_id as until_id
    from months
),
old_failures as (
  delete from state.failures
   where (task_id, step) in (select task_id, step
                               from dropped
                              cross join lateral (
                                select task_id, step
                                  from state.failures
                                 where task_id >= from_id
                                   and task_id < until_id
                                 order by task_id
                                 limit :batch) as of_month
                              where from_id < until_id
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
               or (last_at < (select state.trusted_now()) - interval '1 day'
                   and not exists (select from state.failures where failures.fingerprint = oldest.fingerprint)))
  returning 1
)
select ((select count(*) from old_failures) + (select count(*) from old_groups))::integer as deleted;
