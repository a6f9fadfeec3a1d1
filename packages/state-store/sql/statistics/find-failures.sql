-- Groups of failures that are alike, the latest first, with three of their tasks each. Of a span of
-- task ids, each group is counted no further than to 1,000; the number of halted tasks ends there
-- in any case.
with latest as materialized (
  select *
    from state.failure_groups
   where (:workflows::text[] is null or workflow = any (:workflows::text[]))
     -- No failure of a task comes before its submission.
     and (:created_from::float8 is null or last_at >= to_timestamp(:created_from::float8 / 1000))
   order by last_at desc
   limit :scan
)
select latest.fingerprint, latest.workflow, latest.step, latest.fault_code, latest.message,
       case when :is_whole::boolean then latest.failures::float8 else in_span.tasks end as count,
       not :is_whole::boolean and in_span.tasks = 1000 as has_more,
       open.tasks as open, latest.first_at, latest.last_at,
       array(select task_id::text
               from state.failures
              where failures.fingerprint = latest.fingerprint
                and task_id >= :from::uuid and task_id < :before::uuid
              order by task_id desc
              limit 3) as sample
  from latest
 cross join lateral (
         select count(*)::float8 as tasks
           from (select from state.failures
                  where failures.fingerprint = latest.fingerprint
                    and task_id >= :from::uuid and task_id < :before::uuid
                  -- Without a span the group itself has the number.
                  limit case when :is_whole::boolean then 1 else 1000 end) as alike
       ) as in_span
 cross join lateral (
         select count(*)::float8 as tasks
           from (select from state.failures
                  where failures.fingerprint = latest.fingerprint
                    and halted
                    and task_id >= :from::uuid and task_id < :before::uuid
                  limit 1000) as waiting
       ) as open
 where in_span.tasks > 0
 order by latest.last_at desc
 limit :most;
