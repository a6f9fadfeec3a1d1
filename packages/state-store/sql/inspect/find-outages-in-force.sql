-- Outages of the ways of requests and replies that go on, or ended in the last five seconds.
select part, (extract(epoch from from_at) * 1000)::float8 as since
  from state.outages
 where to_at > clock_timestamp() - interval '5 seconds'
   and part in ('requests', 'replies')
 order by from_at
 limit 20;
