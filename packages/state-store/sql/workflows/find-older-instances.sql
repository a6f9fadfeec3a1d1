-- The living processes that cannot read a definition of this format, a few of them.
select service, instance, version
  from state.instances
 where seen_at > clock_timestamp() - :silent_after::float8 * interval '1 millisecond'
   and format < :format
 order by service, instance
 limit 5;
