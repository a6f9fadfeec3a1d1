-- Consumers of Schedulers that have failed lately to record what they have read, the oldest first.
select instance, queue, messages, failures, error,
       (extract(epoch from clock_timestamp() - since) * 1000)::float8 as for_ms
  from state.stalled_consumers
 where seen_at > clock_timestamp() - :heard_within::float8 * interval '1 millisecond'
 order by since
 limit 20;
