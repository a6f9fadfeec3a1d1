-- The shop's own tables. They may stand in any database whose transactions also reach the state
-- store.
create schema if not exists orders;

create table if not exists orders.orders (
  order_id   uuid        primary key,
  customer   text        not null,
  currency   text        not null,
  total      bigint      not null,
  created_at timestamptz not null default clock_timestamp(),

  constraint total_is_not_negative check (total >= 0)
);

create table if not exists orders.order_lines (
  order_id   uuid    not null references orders.orders,
  line       integer not null,
  sku        text    not null,
  quantity   integer not null,
  unit_price bigint  not null,

  primary key (order_id, line),
  constraint quantity_is_positive check (quantity > 0)
);

-- The shop's login has this role, which lets it submit tasks, and these rights.
grant usage on schema orders to holdfast_application;
grant select, insert on orders.orders, orders.order_lines to holdfast_application;
