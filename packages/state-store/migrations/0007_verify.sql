-- What `holdfast verify` looks for. Each part of the view can be asked about some tasks only, so that
-- a store at work is looked through in short statements: a condition on task_id reaches the indexes.

-- The steps of stored workflows, as their authors wrote them down.
create view state.step_definitions as
select workflows.name                             as workflow,
       step ->> 'name'                            as step,
       step ->> 'agent'                           as agent,
       step -> 'after'                            as after,
       json_typeof(step -> 'undo') = 'object'     as has_undo,
       (step ->> 'completeWithin')::integer       as complete_within,
       (step -> 'undo' ->> 'completeWithin')::integer as undo_complete_within
  from state.workflows
 cross join lateral json_array_elements(definition -> 'steps') as step
 where workflows.format = 1;

create or replace view state.invariant_violations as
with summed as (
  select t.task_id, t.goal, t.process_state, t.paused_at is not null as paused,
         count(s.name)                                                                 as steps,
         count(*) filter (where s.process_state = 'error')                             as in_error,
         count(*) filter (where s.process_state = 'error' and s.kind = 'compensation') as undo_in_error,
         count(*) filter (where s.process_state in ('processed', 'skipped'))           as done,
         count(*) filter (where s.process_state in ('waiting', 'pending', 'processing')) as open,
         count(*) filter (where s.process_state in ('pending', 'processing', 'error')) as moving,
         count(*) filter (where s.attempt > 0)                                         as attempted
    from state.tasks t
    left join state.steps s on s.task_id = t.task_id
   group by t.task_id
),
chained as (
  select task_id, step, from_state,
         lag(to_state) over (partition by task_id, step order by id) as before
    from state.events
   where step is not null
),
-- Taken apart once, and not for every step that is looked at.
defined as materialized (
  select workflow, step, after, has_undo from state.step_definitions
)
select rule.invariant, task_id, rule.witness
  from summed
 cross join lateral (values
   ('every task has steps', null::text, steps = 0),
   ('the state of a task follows from its steps', process_state,
     process_state <> case
       when goal = 'do' and in_error > 0  then 'error'
       when goal = 'do' and done = steps  then 'processed'
       when goal = 'do' and attempted > 0 then 'processing'
       when goal = 'do'                   then 'pending'
       when undo_in_error > 0             then 'error'
       when open = 0                      then 'compensated'
       else 'compensating'
     end
     -- A claim leaves the task to whoever holds its lock: that one sums it up.
     and not (goal = 'do' and process_state = 'pending' and attempted > 0 and in_error = 0 and done < steps)),
   ('an unfinished task has something to wait for', process_state,
     process_state not in ('processed', 'compensated') and moving = 0 and not paused),
   ('nothing is left to do in a finished task', process_state,
     process_state in ('processed', 'compensated') and open > 0)
 ) as rule (invariant, witness, broken)
 where rule.broken
union all
select 'every step belongs to a task', s.task_id, s.name
  from state.steps s
 where not exists (select from state.tasks t where t.task_id = s.task_id)
union all
select 'nothing more is begun of a paused task', s.task_id, s.name
  from state.steps s
  join state.tasks t on t.task_id = s.task_id
 where t.paused_at is not null and s.process_state = 'pending'
union all
select 'only what is to be undone has undos', s.task_id, s.name
  from state.steps s
  join state.tasks t on t.task_id = s.task_id
 where s.kind = 'compensation' and t.goal = 'do'
union all
select 'no undo meets its own do', undo.task_id, undo.name
  from state.steps undo
  join state.steps call on call.task_id = undo.task_id and undo.name = call.name || ':undo'
 where undo.kind = 'compensation' and undo.attempt > 0
   and call.process_state in ('waiting', 'pending', 'processing')
union all
select 'what an undone task did is undone', s.task_id, s.name
  from state.steps s
  join state.tasks t on t.task_id = s.task_id
 where t.process_state = 'compensated' and s.kind = 'compensation'
   and s.process_state not in ('processed', 'skipped')
union all
select 'what may have had an effect has its undo', s.task_id, s.name
  from state.steps s
  join state.tasks t on t.task_id = s.task_id
  join defined d on d.workflow = t.workflow and d.step = s.name
 where t.goal = 'undo' and s.kind = 'call' and d.has_undo
   and (s.may_have_effect or s.process_state in ('processing', 'processed'))
   and not exists (select from state.steps undo
                    where undo.task_id = s.task_id and undo.name = s.name || ':undo')
union all
select 'nothing is begun before what it waits for', s.task_id, s.name || ' before ' || earlier.name
  from state.steps s
  join state.tasks t on t.task_id = s.task_id
  join defined d on d.workflow = t.workflow and d.step = s.name
 cross join lateral json_array_elements_text(d.after) as earlier (name)
  join state.steps before on before.task_id = s.task_id and before.name = earlier.name
 where s.attempt > 0 and before.process_state not in ('processed', 'skipped')
union all
select 'an attempt is claimed once', task_id, step || ' ' || attempt
  from state.events
 where action = 'claim'
 group by task_id, step, attempt
having count(*) > 1
union all
select 'an attempt ends once', task_id, step || ' ' || attempt
  from state.events
 where step is not null and from_state = 'processing'
 group by task_id, step, attempt
having count(*) > 1
union all
select 'the history of a step is unbroken', task_id, step || ': ' || before || ' then ' || from_state
  from chained
 where before is not null and before <> from_state
union all
select 'the history of a step ends where it stands', s.task_id,
       s.name || ': ' || latest.to_state || ', now ' || s.process_state
  from state.steps s
 cross join lateral (select to_state from state.events e
                      where e.task_id = s.task_id and e.step = s.name
                      order by e.id desc limit 1) as latest
 where latest.to_state <> s.process_state
union all
select 'every claim is in the history', s.task_id, s.name
  from state.steps s
 where s.attempt <> (select count(*) from state.events e
                      where e.task_id = s.task_id and e.step = s.name and e.action = 'claim')
union all
select 'whoever halts raises one alert', t.task_id, 'halted ' || halted.times || ', alerts ' || raised.times
  from state.tasks t
 cross join lateral (
   select count(*) as times from state.events e
    where e.task_id = t.task_id and e.step is null and e.to_state = 'error'
      and e.from_state is distinct from 'error') as halted
 cross join lateral (
   select count(*) as times from state.alerts a
    where a.task_id = t.task_id and a.kind = 'task.halted') as raised
 where halted.times <> raised.times;

-- Sees everything and changes nothing: for the logins of people, and of what watches for them.
do $$
begin
  if not exists (select from pg_roles where rolname = 'holdfast_observer') then
    begin
      create role holdfast_observer nologin;
    exception when duplicate_object or unique_violation then
      null; -- Roles belong to the whole server: another database was migrated at the same moment.
    end;
  end if;
end
$$;
grant usage on schema state to holdfast_observer;
grant select on all tables in schema state to holdfast_observer;
alter default privileges in schema state grant select on tables to holdfast_observer;
