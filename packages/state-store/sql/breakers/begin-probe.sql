-- Makes a breaker half-open: this attempt at a step is its probe.
update state.breakers
   set state         = 'half-open',
       since         = case when state = 'half-open' then since else clock_timestamp() end,
       open_until    = null,
       probe_task_id = :task_id,
       probe_step    = :step,
       probe_token   = :token
 where service = :service;
