-- The remote services whose Agents have all opened the circuit of their own: of every instance that
-- lives, the last heartbeat says so. A heartbeat from before the breaker of the service was closed
-- says nothing.
select instance.service, count(*)::integer as instances
  from (select coalesce(remotes.service, agents.agent) as service, agents.breaker, agents.seen_at
          from state.agents
          left join state.remotes on remotes.agent = agents.agent
         where agents.lives_until > clock_timestamp()) as instance
  left join state.breakers on breakers.service = instance.service
 where coalesce(breakers.state, 'closed') = 'closed'
 group by instance.service
having bool_and(instance.breaker = 'open')
   and min(instance.seen_at) > coalesce(max(breakers.since), '-infinity');
