-- The next items whose outcome is awaited.
select number, task_id, step, applied_version
  from state.bulk_items
 where operation_id = :id
   and outcome = 'applied'
   and number > :after
 order by number
 limit :batch;
