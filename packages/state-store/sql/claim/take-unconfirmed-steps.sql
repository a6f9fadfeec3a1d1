-- Takes over requests that have not been recorded as confirmed for too long: the Scheduler that
-- claimed them may have died between its commit and its publish. They keep their attempt: this is
-- the same request. From then on there may be two copies of it. One that can no longer be begun is
-- looked at again when its time is over, and one that the caller still builds or publishes after
-- :resend_after: of that there is no second copy.
with late as materialized (
  select task_id, name,
         (task_id, name, attempt) in
           (select * from unnest(:held_task_ids::uuid[], :held_names::text[], :held_attempts::integer[])) as is_held
    from state.steps
   where process_state = 'processing'
     and task_id between :first_id and :last_id
     and confirmed_at is null
     and resend_at <= statement_timestamp()
     and format <= :format
   order by complete_by
   limit 200
     for no key update skip locked
),
taken as (
  update state.steps
     set resent  = steps.resent or not late.is_held,
         resend_at = case when not late.is_held and steps.start_by <= statement_timestamp() and steps.complete_by > statement_timestamp()
                         then steps.complete_by
                         else statement_timestamp() + :resend_after::float8 * interval '1 millisecond' end
    from late
   where steps.task_id = late.task_id
     and steps.name    = late.name
     and steps.task_id between :first_id and :last_id
  returning steps.task_id, steps.name, steps.lane, steps.agent, steps.attempt, steps.token,
            steps.start_by, steps.complete_by, steps.key_generation, late.is_held
)
select taken.task_id, taken.name, taken.lane, coalesce(taken.agent, taken.lane) as agent, taken.attempt, taken.token,
       (extract(epoch from taken.start_by) * 1000)::float8    as start_by,
       (extract(epoch from taken.complete_by) * 1000)::float8 as complete_by,
       (extract(epoch from statement_timestamp()) * 1000)::float8 as now,
       taken.key_generation, tasks.workflow, tasks.priority, tasks.trace_context, null::json as task_input
  from taken
  join state.tasks on tasks.task_id = taken.task_id
                  and tasks.task_id between :first_id and :last_id
 where not taken.is_held;
