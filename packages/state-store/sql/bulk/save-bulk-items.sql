-- Gives items of a locked bulk operation their outcomes; returns those of the items that still had
-- the one before.
with item as (
  select *
    from unnest(:numbers::integer[], :outcomes::text[], :codes::text[], :steps::text[], :attempts::integer[],
                :applied_versions::integer[])
      as item (number, outcome, code, step, attempt, applied_version)
)
update state.bulk_items
   set outcome         = item.outcome,
       code            = item.code,
       step            = coalesce(item.step, bulk_items.step),
       attempt         = coalesce(item.attempt, bulk_items.attempt),
       applied_version = coalesce(item.applied_version, bulk_items.applied_version),
       at              = clock_timestamp()
  from item
 where bulk_items.operation_id = :id
   and bulk_items.number       = item.number
   and bulk_items.outcome      = :before
returning bulk_items.outcome;
