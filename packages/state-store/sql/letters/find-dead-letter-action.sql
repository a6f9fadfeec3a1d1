-- What became of a dead letter; no row: nothing did yet.
select action from state.dead_letter_actions where letter_id = :id::bigint;
