-- Deletes a batch of the items of bulk operations that ended longer than :keep milliseconds ago,
-- and the operations that have none left. Returns how many rows.
with old as materialized (
  select id
    from state.bulk_operations
   where ended_at < state.trusted_now() - :keep::float8 * interval '1 millisecond'
   order by ended_at
   limit 100
),
picked as materialized (
  select operation_id, number
    from state.bulk_items
   where operation_id in (select id from old)
   limit :batch
),
items as (
  delete from state.bulk_items
   using picked
   where bulk_items.operation_id = picked.operation_id
     and bulk_items.number       = picked.number
  returning 1
),
operations as (
  delete from state.bulk_operations
   using old
   where bulk_operations.id = old.id
     and not exists (select from state.bulk_items
                      where operation_id = old.id
                        and (operation_id, number) not in (select operation_id, number from picked))
  returning 1
)
select ((select count(*) from items) + (select count(*) from operations))::integer as deleted;
