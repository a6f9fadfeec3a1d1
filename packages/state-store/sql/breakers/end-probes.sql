-- What probes have shown: an answer closes the breaker, a failure opens it for twice as long as
-- before.
update state.breakers
   set state         = case when outcome.answered then 'closed' else 'open' end,
       since         = clock_timestamp(),
       open_until    = case when not outcome.answered
                            then clock_timestamp()
                                 + least(:longest::float8, :first::float8 * 2 ^ least(openings, 10)) * interval '1 millisecond'
                       end,
       openings      = case when outcome.answered then 0 else least(openings + 1, 1000) end,
       actor         = :actor,
       reason        = case when outcome.answered then 'A probe was answered' else 'A probe failed: ' || outcome.code end,
       probe_task_id = null,
       probe_step    = null,
       probe_token   = null
  from unnest(:tokens::uuid[], :answered::boolean[], :codes::text[]) as outcome (token, answered, code)
 where state = 'half-open'
   and probe_token = outcome.token
returning service, state;
