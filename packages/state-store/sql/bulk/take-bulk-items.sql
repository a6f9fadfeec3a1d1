-- The next items of a locked bulk operation.
select number, task_id
  from state.bulk_items
 where operation_id = :id
   and outcome = 'waiting'
   and number > :after
 order by number
 limit :most;
