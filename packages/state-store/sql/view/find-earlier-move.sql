-- The last move of a task that came at least so long before another one of it; no row: there is
-- none.
select earlier.id::text as id
  from state.events as earlier
 where earlier.task_id = :task_id
   and earlier.id < :seen::bigint
   and earlier.at < (select at
                       from state.events
                      where task_id = :task_id
                        and id <= :seen::bigint
                      order by id desc
                      limit 1) - :overlap::float8 * interval '1 millisecond'
 order by earlier.id desc
 limit 1;
