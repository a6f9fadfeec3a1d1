-- A broker has lost its messages: whatever can still be begun is to be published again at once. In
-- the order of the ids, as all who lock several rows.
with in_flight as materialized (
  select task_id, name
    from state.steps
   where process_state = 'processing'
     and start_by > statement_timestamp()
     and task_id between :first_id and :last_id
     and format <= :format
   order by task_id, name
     for no key update
),
unconfirmed as (
  update state.steps
     set confirmed_at = null,
         resend_at      = statement_timestamp()
    from in_flight
   where steps.task_id = in_flight.task_id
     and steps.name    = in_flight.name
     and steps.task_id between :first_id and :last_id
  returning 1
)
select count(*)::integer as steps from unconfirmed;
