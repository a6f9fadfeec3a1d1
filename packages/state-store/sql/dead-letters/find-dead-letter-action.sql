-- What became of a dead letter; no row: nothing did yet.
select action from state.dead_letter_actions where dead_letter_id = :id::bigint;
