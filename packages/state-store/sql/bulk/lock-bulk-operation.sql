-- Locks a bulk operation, unless another transaction has (SKIP LOCKED): its items change only under
-- this lock. JSON's null is an output, too.
select id, action, step, output, output is not null as has_output, patch, actor, reason, state, canary, waiting,
       applied, refused, succeeded, failed_again, rate,
       (extract(epoch from paced_from) * 1000)::float8        as paced_from,
       (extract(epoch from clock_timestamp()) * 1000)::float8 as now
  from state.bulk_operations
 where id = :id
   for no key update skip locked;
