-- How the steps of these names stand.
select task_id, name, process_state, fault_code
  from state.steps
 where task_id = any(:task_ids::uuid[])
   and task_id between :first_id and :last_id
   and name = any(:names::text[]);
