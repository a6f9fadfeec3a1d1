-- The bulk operations of which something is to be applied or verified, open ones first.
select id, action, state, canary, waiting, applied, refused, succeeded, failed_again, rate,
       (extract(epoch from paced_from) * 1000)::float8        as paced_from,
       (extract(epoch from clock_timestamp()) * 1000)::float8 as now
  from state.bulk_operations
 where state in ('canary', 'running', 'verifying') or applied > 0
 order by ended_at is not null, id
 limit 100;
