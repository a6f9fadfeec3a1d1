-- Writes the labels of new tasks, to be searched.
insert into state.task_labels (name, value, task_id)
select name, value, task_id
  from unnest(:names::text[], :values::text[], :task_ids::uuid[]) as label (name, value, task_id);
