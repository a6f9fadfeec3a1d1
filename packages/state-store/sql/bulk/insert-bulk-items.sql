-- Writes the next items of a new bulk operation, in their order.
insert into state.bulk_items (operation_id, number, task_id, version)
select :id::uuid, number, task_id, version
  from unnest(:numbers::integer[], :task_ids::uuid[], :versions::integer[]) as item (number, task_id, version);
