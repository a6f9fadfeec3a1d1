-- The Agents that stored workflows need: for which, the longest work they are given (ms) for less
-- than `:kept_below`, from which on they acknowledge requests early, and how much waits for them,
-- or for a pool that they belong to, counted no further than to 10,000. And how many instances of
-- each live, how many of these consume nothing for now, because their breaker is open, and when one
-- was seen last.
select agent, workflows, longest, longest_step,
       ((select count(*) from (select from state.steps
                                where lane = any(lanes) and process_state = 'pending' and rank is not null
                                limit 10000) as due)
      + (select count(*) from (select from state.steps
                                where lane = any(lanes) and process_state = 'pending' and rank is null
                                limit 10000) as delayed)
      + (select count(*) from (select from state.steps
                                where coalesce(steps.agent, lane) = needed.agent and process_state = 'processing'
                                limit 10000) as taken))::integer as open_steps,
       heard.*, exists (select from state.known_agents as known where known.agent = needed.agent) as announces
  from (select pool.agent, array_agg(distinct lane) || pool.agent as lanes,
               array_agg(distinct workflow order by workflow) as workflows,
               coalesce(max(kept), 0) as longest,
               coalesce((array_agg(workflow || '/' || step order by kept desc nulls last))[1], '') as longest_step,
               bool_or(retired_at is null) as is_used
          from state.step_definitions
          join state.workflows on workflows.name = workflow
         cross join lateral string_to_table(lane, '+') as pool (agent)
         cross join lateral (
           select max(of_one) as kept
             from (values (complete_within), (undo_complete_within)) as limits (of_one)
            where of_one < :kept_below) as kept_limits
         group by pool.agent) as needed
 cross join lateral (
         select (count(*) filter (where lives_until > clock_timestamp()))::integer as living,
                (count(*) filter (where lives_until > clock_timestamp() and breaker = 'open'))::integer as resting,
                (extract(epoch from max(breaker_until) filter (
                   where lives_until > clock_timestamp() and breaker = 'open')) * 1000)::float8 as resting_until,
                (extract(epoch from max(seen_at)) * 1000)::float8 as last_seen
           from state.agents as instance
          where instance.agent = needed.agent) as heard
 -- Of a retired workflow only the unfinished tasks still need its Agents.
 where is_used
    or exists (select from state.steps
                where lane = any(lanes) and process_state = 'pending' and rank is not null)
    or exists (select from state.steps
                where lane = any(lanes) and process_state = 'pending' and rank is null)
    or exists (select from state.steps
                where coalesce(steps.agent, lane) = needed.agent and process_state = 'processing')
 order by agent;
