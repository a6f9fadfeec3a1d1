-- Queues of replies that a probe is on its way to: until it has arrived, what is silent is not
-- counted as a failure.
select queue, trouble, (extract(epoch from silent_since) * 1000)::float8 as silent_since
  from state.reply_paths
 where asked_at is not null
 order by silent_since
 limit 20;
