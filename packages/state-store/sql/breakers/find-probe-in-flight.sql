-- The probe of a service that has not ended. It is asked after the breaker is locked, by a
-- statement of its own: a subquery of the locking statement sees the steps as they were before
-- another Scheduler's probe was committed.
select steps.task_id
  from state.breakers
  join state.steps on steps.task_id = probe_task_id
                  and steps.name    = probe_step
                  and steps.token   = probe_token
 where service = :service
   and steps.task_id between :first_id and :last_id
   and steps.process_state = 'processing';
