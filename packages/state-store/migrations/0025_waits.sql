-- Steps that wait: they ask no Agent, have no lane, and are done once their time has come. See
-- decision 0198.

-- phase: online
-- One row for each step that waits now. Not by month: a wait of a year would keep its month among
-- those that every claim looks through.
create table state.waits (
  task_id    uuid        not null,
  step       text        not null,
  kind       text        not null,
  -- When it ends by itself, which never changes: not_before of its step. Null: it does not.
  deadline   timestamptz,
  -- When a Scheduler looks at it: at its deadline, or later, where the clock has jumped or its task
  -- was locked.
  due_at     timestamptz,
  opened_at  timestamptz not null default clock_timestamp(),

  primary key (task_id, step),
  constraint due_no_earlier_than_its_deadline check (due_at is null or deadline is not null and due_at >= deadline)
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);

create index waits_due on state.waits (due_at);

create function state.refuse_wait_change() returns trigger language plpgsql as $$
begin
  raise exception 'the wait % of task % has its deadline for good', old.step, old.task_id using errcode = 'HF001';
end
$$;

create trigger guard_wait before update on state.waits for each row
when ((old.task_id, old.step, old.kind, old.opened_at)
        is distinct from (new.task_id, new.step, new.kind, new.opened_at)
      or old.deadline is distinct from new.deadline)
execute function state.refuse_wait_change();

grant insert on state.waits to holdfast_submission;
grant select, insert, delete on state.waits to holdfast_operations, holdfast_supervisor;
grant select, insert, delete, update (due_at) on state.waits to holdfast_scheduler;

-- The highest format of definitions that a process reads. One of an earlier release says nothing.
alter table state.instances add column format smallint not null default 1;

create or replace view state.step_definitions as
select workflows.name                         as workflow,
       step ->> 'name'                        as step,
       step ->> 'agent'                       as agent,
       state.lane_of(step)                    as lane,
       case when json_typeof(step -> 'after') = 'array' then step -> 'after' else '[]' end as after,
       json_typeof(step -> 'undo') = 'object' as has_undo,
       case when step ->> 'completeWithin' ~ '^[0-9]{1,9}$|^[01][0-9]{9}$'
            then (step ->> 'completeWithin')::integer end as complete_within,
       case when step -> 'undo' ->> 'completeWithin' ~ '^[0-9]{1,9}$|^[01][0-9]{9}$'
            then (step -> 'undo' ->> 'completeWithin')::integer end as undo_complete_within
  from state.workflows
 cross join lateral json_array_elements(
         case when json_typeof(definition -> 'steps') = 'array' then definition -> 'steps' end) as step
 where workflows.format in (1, 2)
   -- One of another kind asks no Agent.
   and (step ->> 'agent' ~ '^[a-z][a-z0-9-]{0,62}$' or step ->> 'kind' is not null);

create or replace function state.is_sound(step state.steps) returns boolean language plpgsql as $$
declare
  claimed  constant boolean := step.process_state = 'processing';
  due      constant boolean := step.process_state = 'pending';
  violated constant text    := case
    when step.kind <> all (state.step_kinds()) then 'known_kind'
    when step.process_state not in
      ('waiting', 'pending', 'processing', 'awaiting', 'processed', 'error', 'skipped', 'cancelled')
      then 'known_state'
    when claimed <> (step.locked_by is not null)
      or claimed <> (step.start_by is not null)
      or claimed <> (step.complete_by is not null)
      or claimed <> (step.token is not null)
      or claimed <> (step.resend_at is not null) then 'locked_exactly_while_processing'
    when step.lane = '' and (claimed or due) then 'claimed_only_for_an_agent'
    when step.lane <> '' and step.process_state = 'awaiting' then 'awaiting_only_without_an_agent'
    when due <> (step.not_before is not null)
      and not (step.lane = '' and step.process_state in ('waiting', 'awaiting')) then 'due_exactly_while_pending'
    when step.rank is not null and not due then 'ranked_only_while_pending'
    when step.band not between 0 and 3 then 'known_band'
    when step.confirmed_at is not null and not claimed then 'confirmed_only_while_processing'
    when (step.started_at is not null or step.heartbeat_at is not null or step.progress is not null) and not claimed
      then 'signs_only_while_processing'
    when step.extend_up_to < step.complete_within then 'extended_no_less_than_its_time'
    when step.process_state = 'error' and step.fault_code is null then 'fault_in_error'
    when step.attempt < 0 or step.failure_count not between 0 and step.attempt
      or step.requeue_count < 0 or step.cool_downs < 0 then 'counters_are_possible'
  end;
begin
  return violated is null
    or state.refuse_row('steps', violated, format('task %s, step %s', step.task_id, step.name));
end
$$;

create or replace view state.invariant_violations as
with summed as (
  select t.task_id, t.goal, t.process_state, t.paused_at is not null as paused,
         count(s.name)                                                                 as steps,
         count(*) filter (where s.process_state = 'error')                             as in_error,
         count(*) filter (where s.process_state = 'error' and s.kind = 'undo')         as undo_in_error,
         count(*) filter (where s.process_state in ('processed', 'skipped'))           as done,
         count(*) filter (where s.process_state in ('waiting', 'pending', 'processing', 'awaiting')) as open,
         count(*) filter (where s.process_state in ('pending', 'processing', 'awaiting', 'error')) as moving,
         -- A step that waits, or has waited, has begun without an attempt.
         count(*) filter (where s.attempt > 0 or s.process_state in ('awaiting', 'processed')) as attempted
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
       when goal = 'do' and in_error > 0  then 'halted'
       when goal = 'do' and done = steps  then 'processed'
       when goal = 'do' and attempted > 0 then 'processing'
       when goal = 'do'                   then 'pending'
       when undo_in_error > 0             then 'halted'
       when open = 0                      then 'undone'
       else 'undoing'
     end
     -- A claim skips a locked task: the transaction that holds the lock summarises it.
     and not (goal = 'do' and process_state = 'pending' and attempted > 0 and in_error = 0 and done < steps)),
   ('an unfinished task has something to wait for', process_state,
     process_state not in ('processed', 'undone') and moving = 0 and not paused),
   ('nothing is left to do in a finished task', process_state,
     process_state in ('processed', 'undone') and open > 0)
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
 where s.kind = 'undo' and t.goal = 'do'
union all
select 'no undo meets its own do', undo.task_id, undo.name
  from state.steps undo
  join state.steps call on call.task_id = undo.task_id and undo.name = call.name || ':undo'
 where undo.kind = 'undo' and undo.attempt > 0
   and call.process_state in ('waiting', 'pending', 'processing', 'awaiting')
union all
select 'what an undone task did is undone', s.task_id, s.name
  from state.steps s
  join state.tasks t on t.task_id = s.task_id
 where t.process_state = 'undone' and s.kind = 'undo'
   and s.process_state not in ('processed', 'skipped')
union all
select 'what may have had an effect has its undo', s.task_id, s.name
  from state.steps s
  join state.tasks t on t.task_id = s.task_id
  join defined d on d.workflow = t.workflow and d.step = s.name
 where t.goal = 'undo' and s.kind <> 'undo' and d.has_undo
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
 where (s.attempt > 0 or s.process_state = 'awaiting') and before.process_state not in ('processed', 'skipped')
union all
select 'a step awaits exactly while it has a wait', s.task_id, s.name || ': no wait of its end'
  from state.steps s
 where s.process_state = 'awaiting'
   and not exists (select from state.waits w
                    where w.task_id = s.task_id and w.step = s.name
                      and w.deadline is not distinct from s.not_before)
union all
select 'a step awaits exactly while it has a wait', w.task_id, w.step || ': a wait too many'
  from state.waits w
 where not exists (select from state.steps s
                    where s.task_id = w.task_id and s.name = w.step and s.process_state = 'awaiting')
union all
select 'no wait outlives its task', w.task_id, w.step
  from state.waits w
 where not exists (select from state.tasks t where t.task_id = w.task_id and t.finished_at is null)
union all
select 'a wait ends once', task_id, step
  from state.events
 where action in ('fire', 'lapse')
 group by task_id, step
having count(*) > 1
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
select 'at most one open task has a business key', t.task_id, t.business_key
  from state.tasks t
 where t.business_key is not null
   and t.finished_at is null
   and exists (select from state.tasks other
                where other.business_key = t.business_key
                  and other.task_id <> t.task_id
                  and other.tenant = t.tenant
                  and other.finished_at is null
                  and regexp_replace(other.workflow, '\.v[1-9][0-9]{0,5}$', '')
                      = regexp_replace(t.workflow, '\.v[1-9][0-9]{0,5}$', ''))
union all
select 'every halt raises one alert', t.task_id, 'halted ' || halted.times || ', alerts ' || raised.times
  from state.tasks t
 cross join lateral (
   select count(*) as times from state.events e
    where e.task_id = t.task_id and e.step is null and e.to_state = 'halted'
      and e.from_state is distinct from 'halted') as halted
 cross join lateral (
   select count(*) as times from state.alerts a
    where a.task_id = t.task_id and a.kind = 'task.halted') as raised
 where halted.times <> raised.times;

update state.compatibility set schema_version = greatest(schema_version, 31);
