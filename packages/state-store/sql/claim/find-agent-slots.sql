-- What the living instances of each Agent advertise together. `trusted` counts none of them for more than so many.
select agent as lane, count(*)::integer as instances, sum(capacity)::float8 as slots,
       sum(least(capacity, :trusted_slots))::float8 as trusted
  from state.agents
 where lives_until > clock_timestamp()
 group by agent;
