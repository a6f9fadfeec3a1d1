-- Drops the partitions of a month of which nothing is to be kept, unless another transaction has
-- locked them.
select state.drop_month(:month::date, :keep::float8 * interval '1 millisecond') as dropped;
