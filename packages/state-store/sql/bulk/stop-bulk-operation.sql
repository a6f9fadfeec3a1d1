-- Stops a bulk operation that has not ended. Waits for a transaction that works on it.
update state.bulk_operations
   set state       = 'stopped',
       ended_at    = clock_timestamp(),
       stopped_by  = :actor,
       stop_reason = :reason
 where tenant = :tenant
   and id = :id
   and state in ('canary', 'running', 'verifying')
returning id;
