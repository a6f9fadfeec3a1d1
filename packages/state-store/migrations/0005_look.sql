-- Operators look at tasks, servers and what was refused over the HTTP API: its login reads what the command reads.

grant select on state.rejected_replies, state.dead_letters, state.outbox, state.standstills, state.trusted_clock,
                state.step_definitions, state.invariant_violations, state.migrations
   to holdfast_operations;
-- The views of definitions call it with the rights of their reader.
grant execute on function state.lane_of(json) to holdfast_operations;
