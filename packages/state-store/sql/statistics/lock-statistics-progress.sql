-- Takes the turn to count, unless another Supervisor has it. What there is to count is read by the
-- next statement: this one still sees the gaps as they were before the Supervisor whose turn has
-- just ended committed.
select true as is_locked
  from state.statistics_progress
   for update skip locked;
