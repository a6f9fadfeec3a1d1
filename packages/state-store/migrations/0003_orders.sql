-- The order database of the reference application: written in the same transaction as the task.
create schema if not exists orders;

create table orders.orders (
  order_id   uuid        primary key,
  customer   text        not null,
  currency   text        not null,
  total      bigint      not null,
  created_at timestamptz not null default clock_timestamp(),

  constraint total_is_not_negative check (total >= 0)
);

create table orders.order_lines (
  order_id   uuid    not null references orders.orders,
  line       integer not null,
  sku        text    not null,
  quantity   integer not null,
  unit_price bigint  not null,

  primary key (order_id, line),
  constraint quantity_is_positive check (quantity > 0)
);
