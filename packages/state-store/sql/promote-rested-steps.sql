-- Makes steps claimable whose rest (backoff, cool-down) is over, and says when the next one's is, and
-- what else there is to do.
with rested as materialized (
  select task_id, name
    from state.steps
   where process_state = 'pending'
     and rank is null
     and not_before <= statement_timestamp()
   order by not_before
   limit 500
     for no key update skip locked
),
promoted as (
  update state.steps
     set rank = steps.not_before - (tasks.priority + (steps.kind = 'compensation')::integer) * interval '30 seconds'
    from rested
    join state.tasks on tasks.task_id = rested.task_id
   where steps.task_id = rested.task_id
     and steps.name    = rested.name
  returning steps.lane
)
select (select coalesce(array_agg(distinct lane), '{}') from promoted) as lanes,
       (select (extract(epoch from min(not_before) - statement_timestamp()) * 1000)::float8
          from state.steps
         where process_state = 'pending'
           and rank is null
           and not_before > statement_timestamp()
           and not_before < 'infinity') as next_in,
       (select (extract(epoch from min(relay_at) - statement_timestamp()) * 1000)::float8
          from state.steps
         where process_state = 'processing'
           and dispatched_at is null) as relay_in,
       exists (select from state.steps
                where process_state = 'pending' and rank is not null) as has_due,
       exists (select from (select leased_until from state.outbox order by id limit 200) as oldest
                where leased_until is null or leased_until <= statement_timestamp()) as has_notices,
       exists (select from state.pauses
                where kind = 'workflow' and released_at is null) as has_pauses;
