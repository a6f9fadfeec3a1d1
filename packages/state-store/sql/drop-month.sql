-- Drops the partitions of a month of which no task is left, unless somebody is at work in them.
select state.drop_month(:month::date) as dropped;
