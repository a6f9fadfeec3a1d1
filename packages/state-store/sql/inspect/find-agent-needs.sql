-- The Agents that stored workflows need: for which, the longest work they are given (ms), and how much
-- waits for them, counted no further than to 10,000. And how many instances of each consume nothing for now,
-- because their breaker is open, and said so in the last 15 seconds.
select agent, array_agg(distinct workflow order by workflow) as workflows,
       max(greatest(complete_within, undo_complete_within)) as longest,
       (array_agg(workflow || '/' || step
          order by greatest(complete_within, undo_complete_within) desc))[1] as longest_step,
       ((select count(*) from (select from state.steps
                                where lane = agent and process_state = 'pending' and rank is not null
                                limit 10000) as due)
      + (select count(*) from (select from state.steps
                                where lane = agent and process_state = 'pending' and rank is null
                                limit 10000) as delayed)
      + (select count(*) from (select from state.steps
                                where lane = agent and process_state = 'processing'
                                limit 10000) as taken))::integer as open_steps,
       (select count(*) from state.agents as instance
         where instance.agent = needed.agent and breaker = 'open'
           and seen_at > clock_timestamp() - interval '15 seconds')::integer as resting
  from state.step_definitions as needed
  join state.workflows on workflows.name = workflow
 group by agent
 -- Of a retired workflow only the unfinished tasks still need its Agents.
having bool_or(retired_at is null)
    or exists (select from state.steps
                where lane = agent and process_state = 'pending' and rank is not null)
    or exists (select from state.steps
                where lane = agent and process_state = 'pending' and rank is null)
    or exists (select from state.steps
                where lane = agent and process_state = 'processing')
 order by agent;
