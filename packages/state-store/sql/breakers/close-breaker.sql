-- An operator closes a breaker, and ends what the service asked for. No row: nothing was held back.
update state.breakers
   set state           = 'closed',
       since           = clock_timestamp(),
       open_until      = null,
       openings        = 0,
       throttled_until = null,
       actor           = :actor,
       reason          = :reason,
       probe_task_id   = null,
       probe_step      = null,
       probe_token     = null
 where service = :service
   and (state <> 'closed' or throttled_until > clock_timestamp())
returning service;
