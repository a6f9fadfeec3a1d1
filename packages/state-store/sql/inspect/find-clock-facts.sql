-- What shows that the clock of this server has jumped, in milliseconds since 1970: the last time of
-- which it is known that it was right, since when it has been more than a day ahead of that (null:
-- it is not), the latest time that is written down, and the clock itself.
select (extract(epoch from trusted.at) * 1000)::float8          as trusted_at,
       (extract(epoch from trusted.ahead_since) * 1000)::float8 as ahead_since,
       greatest(
         extract(epoch from coalesce(trusted.ahead_at, trusted.at)) * 1000,
         -- Ids begin with their time.
         (select ('x' || translate(left(task_id::text, 13), '-', ''))::bit(48)::bigint
            from state.tasks
           order by task_id desc
           limit 1),
         (select extract(epoch from updated_at) * 1000
            from state.tasks
           where finished_at is null
           order by updated_at desc
           limit 1))::float8                                    as latest,
       (extract(epoch from clock_timestamp()) * 1000)::float8   as now
  from state.trusted_clock as trusted;
