-- Drops the partitions of a month of which nothing is to be kept, unless somebody is at work in them.
select state.drop_month(:month::date, :keep::float8 * interval '1 millisecond') as dropped;
