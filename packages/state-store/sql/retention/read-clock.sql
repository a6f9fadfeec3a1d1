-- Looks whether the store's clock can be trusted. Since when (ms) it has been ahead of what it was;
-- null: it can.
select (extract(epoch from state.read_clock()) * 1000)::float8 as ahead_since;
