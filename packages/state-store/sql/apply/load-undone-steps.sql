-- The calls that are to be undone: whether they completed, and under which key.
select task_id, name, process_state, key_generation, attempt
  from state.steps
 where task_id = any(:task_ids::uuid[])
   and task_id between :first_id and :last_id
   and kind <> 'undo';
