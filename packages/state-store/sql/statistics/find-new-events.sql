-- Rows of the history between two ids, of those only the ones in these ranges. With what counting
-- them needs: the workflow, how long a task or an attempt took, and of a failure what the Agent
-- said.
with found as materialized (
  select * from state.events_between(:first_event::bigint, :last_event::bigint, :months::text[])
),
new as materialized (
  select *
    from found
   where id <@ :gaps::text::int8multirange
)
select new.id::float8 as id, new.task_id, tasks.workflow, new.step, new.action, new.from_state, new.to_state,
       new.reason, (extract(epoch from new.at) * 1000)::float8 as at,
       coalesce(steps.kind = 'undo', false) as is_undo,
       coalesce(steps.agent, steps.lane) as agent,
       (extract(epoch from new.at - case when new.step is null then greatest(tasks.created_at, tasks.begin_at)
                                         else claimed.at end) * 1000)::float8 as took,
       failed.detail,
       coalesce(tasks.process_state = 'halted', false) as is_halted
  from new
  left join state.tasks on tasks.task_id = new.task_id
  left join lateral (
         select kind, agent, lane
           from state.steps
          where new.from_state in ('processing', 'error')
            and steps.task_id = new.task_id and steps.name = new.step
       ) as steps on true
  left join lateral (
         -- Few rows lie between the claim of an attempt and its end.
         select at
           from (select at, step, action
                   from state.events
                  where new.from_state = 'processing'
                    and new.action in ('complete', 'retry', 'coolDown', 'fail')
                    and events.task_id = new.task_id
                    and events.id < new.id
                  order by events.id desc
                  limit 500) as earlier
          where step = new.step and action = 'claim'
          limit 1
       ) as claimed on true
  left join lateral (
         select left(fault_detail, 2000) as detail
           from state.step_payloads
          where new.action = 'fail'
            and step_payloads.task_id = new.task_id and step_payloads.name = new.step
       ) as failed on true
 order by new.id;
