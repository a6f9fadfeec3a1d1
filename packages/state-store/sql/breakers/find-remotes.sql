-- Remote services, with what their breakers hold back: due steps, counted no further than to
-- 10,000, and the tasks of the first ten of them.
with remote as (
  select coalesce(remotes.service, given.agent) as service,
         array_agg(distinct given.agent order by given.agent) as agents, array_agg(distinct given.lane) as lanes
    from unnest(:lanes::text[], :agents::text[]) as given (lane, agent)
    left join state.remotes on remotes.agent = given.agent
   group by coalesce(remotes.service, given.agent)
),
known as (
  select service from remote union select service from state.breakers
)
select known.service, coalesce(remote.agents, '{}') as agents,
       coalesce(breakers.state, 'closed') as state, breakers.since, breakers.actor, breakers.reason,
       coalesce(breakers.open_until = 'infinity', false) as held,
       case when breakers.open_until < 'infinity' then breakers.open_until end as open_until,
       case when breakers.throttled_until > statement_timestamp() then breakers.throttled_until end as throttled_until,
       breakers.probe_task_id, breakers.probe_step,
       case when breakers.state <> 'closed' or breakers.throttled_until > statement_timestamp() then
         (select count(*)
            from (select from state.steps
                   where process_state = 'pending'
                     and rank is not null
                     and task_id between :first_id and :last_id
                     and lane = any (remote.lanes)
                   limit 10000) as due)::integer
       else 0 end as held_steps,
       case when breakers.state <> 'closed' or breakers.throttled_until > statement_timestamp() then
         array(select task_id::text
                 from (select task_id from state.steps
                        where process_state = 'pending'
                          and rank is not null
                          and task_id between :first_id and :last_id
                          and lane = any (remote.lanes)
                        order by lane, band, rank
                        limit 10) as due)
       else '{}'::text[] end as held_tasks
  from known
  left join remote on remote.service = known.service
  left join state.breakers on breakers.service = known.service
 order by 1;
