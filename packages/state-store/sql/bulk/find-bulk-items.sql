-- A page of the items of a bulk operation, in their order: of one outcome, or of any.
(select number, task_id, outcome, code, step, at
   from state.bulk_items
  where :outcome::text is null
    and operation_id = :id
    and number > :after
  order by number
  limit :most)
union all
(select number, task_id, outcome, code, step, at
   from state.bulk_items
  where operation_id = :id
    and outcome = :outcome::text
    and number > :after
  order by number
  limit :most)
order by number;
