-- Schedules whose time has come, the earliest first, locked, and how the last task of each stands;
-- and those whose times were computed by earlier rules of time zones. :latest is what the store's
-- clock may say at most, by a clock that does not jump; null: unknown.
with due as materialized (
  select *
    from state.schedules
   where due_at <= least(statement_timestamp(), to_timestamp(:latest::float8 / 1000))
      or (due_at is not null and zone_rules < :zone_rules)
   order by due_at
   limit :most::integer
     for no key update skip locked
)
select id, definition, version,
       (extract(epoch from next_instant) * 1000)::float8 as next_instant,
       (extract(epoch from buffered) * 1000)::float8 as buffered,
       (extract(epoch from dealt_with) * 1000)::float8 as dealt_with,
       failures, skips, zone_rules, last_task,
       (extract(epoch from least(statement_timestamp(), to_timestamp(:latest::float8 / 1000))) * 1000)::float8 as now,
       case when last_task is null then 'none'
            when exists (select from state.inbox where inbox.task_id = last_task) then 'open'
            when exists (select from state.refusals where refusals.task_id = last_task) then 'failed'
            else coalesce((select case when finished_at is null and process_state <> 'halted' then 'open'
                                       when process_state = 'processed' then 'processed' else 'failed' end
                             from state.tasks where tasks.task_id = last_task), 'none') end as last
  from due
 order by due_at;
