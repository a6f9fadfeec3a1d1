-- The ids between which steps may be due, resting or in flight (null: unknown), and those between
-- which months have partitions of their own.
select first_id, end_id, first_known_id, end_known_id from state.busy_months;
