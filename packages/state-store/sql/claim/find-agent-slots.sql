-- The slots of the living instances of each Agent, the one that was seen last first, and those
-- whose breaker is open behind all others: at most 1,000 of each Agent. `busy`: how many slots are
-- taken.
select agent as lane, sum(in_flight)::float8 as busy, (array_agg(capacity order by breaker = 'open', seen_at desc))[1:1000] as slots
  from state.agents
 where lives_until > clock_timestamp()
 group by agent;
