-- The months that ended a day longer than :keep milliseconds ago. One with an unfinished task has
-- to stay; one whose last task finished later than that is not over yet.
select month::text as month, has_unfinished, has_recent
  from state.partitions
 cross join lateral state.must_stay(month, :keep::float8 * interval '1 millisecond')
 where end_id <= state.first_id_of(state.trusted_now() - :keep::float8 * interval '1 millisecond' - interval '1 day')
 order by partitions.month;
