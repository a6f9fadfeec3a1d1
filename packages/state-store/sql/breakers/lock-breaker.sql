-- Locks the breaker of a service whose probe is due, unless another Scheduler has it: then there is
-- no row.
select service
  from state.breakers
 where service = :service
   and state <> 'closed'
   and coalesce(open_until, '-infinity') <= clock_timestamp()
   and coalesce(throttled_until, '-infinity') <= clock_timestamp()
   for update skip locked;
