-- The living processes that cannot read a stored workflow, a few of them, with how many they cannot
-- read, and the first of these.
select service, instance, version, unread.workflows, unread.workflow
  from state.instances
 cross join lateral (
   select count(*)::integer as workflows, min(name) as workflow
     from state.workflows
    where workflows.format > instances.format) as unread
 where seen_at > clock_timestamp() - :silent_after::float8 * interval '1 millisecond'
   and unread.workflows > 0
 order by service, instance
 limit 20;
