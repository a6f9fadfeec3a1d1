-- The living instances of some Agents, with what they announce; at most 1,000.
select agent, instance as name, operations, contracts
  from state.agents
 where lives_until > clock_timestamp()
   and agent = any (:agents::text[])
 order by agent, instance
 limit 1000;
