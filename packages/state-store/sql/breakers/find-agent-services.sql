-- The remote services of Agents that wrap one of another name than their own.
select agent, service from state.remotes where service <> agent;
