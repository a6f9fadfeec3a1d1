-- What must never be, should it be.
select invariant, task_id, witness
  from state.invariant_violations
 limit :batch;
