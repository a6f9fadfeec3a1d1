-- The Agents that have ever sent a heartbeat, for how long (ms) each has been known, and its operations.
select agent, (extract(epoch from clock_timestamp() - first_seen) * 1000)::float8 as known_for, operations
  from state.known_agents;
