-- The ids between which steps may be due, resting or in flight; none: nobody knows.
select first_id, end_id from state.busy_months where first_id is not null;
