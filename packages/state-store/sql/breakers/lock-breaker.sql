-- Locks the breaker of a service whose probe is due, unless another Scheduler has it: then, and while a probe is in
-- flight, there is no row.
select service
  from state.breakers
 where service = :service
   and state <> 'closed'
   and coalesce(open_until, '-infinity') <= clock_timestamp()
   and coalesce(throttled_until, '-infinity') <= clock_timestamp()
   and not exists (select from state.steps
                    where steps.task_id = probe_task_id
                      and steps.name    = probe_step
                      and steps.token   = probe_token
                      and task_id between :first_id and :last_id
                      and process_state = 'processing')
   for update skip locked;
