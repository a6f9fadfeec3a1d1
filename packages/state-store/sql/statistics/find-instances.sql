-- The processes that said in the last day that they are there, the last ones first: at most 1,000.
select service, instance, version, slots, takes_enqueued, started_at, seen_at,
       seen_at > clock_timestamp() - :silent_after::float8 * interval '1 millisecond' as living
  from state.instances
 order by seen_at desc
 limit 1000;
