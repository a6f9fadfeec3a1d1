-- What must never be, should it be, of the tasks after one up to another.
select invariant, task_id, witness
  from state.invariant_violations
 where task_id > :after
   and task_id <= :upto
 order by invariant, task_id
 limit :batch;
