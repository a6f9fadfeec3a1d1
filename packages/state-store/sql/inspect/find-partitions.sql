-- For how many months there are partitions, and whether the next month is among them.
select count(*)::integer as months,
       coalesce(max(month) >= state.month_after(state.month_of(clock_timestamp())), false) as has_next
  from state.partitions;
