-- Writes new orders down, with their lines.
with new_order as (
  insert into orders.orders (order_id, customer, currency, total)
  select order_id, customer, currency, total
    from unnest(:order_ids::uuid[], :customers::text[], :currencies::text[], :totals::bigint[])
      as new_order (order_id, customer, currency, total)
)
insert into orders.order_lines (order_id, line, sku, quantity, unit_price)
select order_id, line, sku, quantity, unit_price
  from unnest(:line_order_ids::uuid[], :lines::integer[], :skus::text[], :quantities::integer[],
              :unit_prices::bigint[])
    as new_line (order_id, line, sku, quantity, unit_price);
