-- Makes the partitions of this month and the next, unless they are there; returns which it made.
select month::text as month
  from unnest(state.make_partitions()) as month;
