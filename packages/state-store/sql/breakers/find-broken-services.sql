-- The remote services whose Agents have all opened the circuit of their own: of every instance that runs, the last
-- heartbeat says so. A heartbeat from before the breaker of the service was closed says nothing.
select agents.agent as service, count(*)::integer as instances
  from state.agents
  left join state.breakers on breakers.service = agents.agent
 where agents.lives_until > clock_timestamp()
   and coalesce(breakers.state, 'closed') = 'closed'
 group by agents.agent
having bool_and(agents.breaker = 'open')
   and min(agents.seen_at) > coalesce(max(breakers.since), '-infinity');
