-- One bulk operation of a tenant.
select id, action, step, patch, filter, actor, reason, created_at as at, state, matched, waiting, applied, refused, succeeded,
       failed_again, canary, rate, stopped_by, stop_reason, ended_at
  from state.bulk_operations
 where tenant = :tenant
   and id = :id;
