-- The Agents that should get no step which another Agent could have: those that are paused, and those of which every
-- instance with a heartbeat in the last so many milliseconds has an open circuit breaker.
select name as agent
  from state.pauses
 where kind = 'agent'
   and resumed_at is null
union
select agent
  from state.agents
 where seen_at > clock_timestamp() - :heard_within::float8 * interval '1 millisecond'
 group by agent
having bool_and(breaker = 'open');
