-- The Agents that should get no step which another Agent could have: those that are paused, and
-- those of which every living instance has an open circuit breaker.
select name as agent
  from state.pauses
 where kind = 'agent'
   and resumed_at is null
union
select agent
  from state.agents
 where lives_until > clock_timestamp()
 group by agent
having bool_and(breaker = 'open');
