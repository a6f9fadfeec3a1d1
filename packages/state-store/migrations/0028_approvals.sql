-- Steps that wait for people: each of their audience decides once, and who submitted a task is known.
-- See decisions 0200 and 0201.

-- phase: locks state.tasks, state.waits
-- Who submitted it, as the service that took it knows; null: unknown.
alter table state.tasks add column if not exists submitted_by text;
-- Those who decide it; null: it is for no one to decide.
alter table state.waits add column if not exists audience text;

-- phase: online
-- What people have said about steps that wait for them, for as long as the task is kept.
create table state.decisions (
  task_id  uuid        not null,
  step     text        not null,
  -- The id of the principal.
  actor    text        not null,
  -- For people, as it was called then.
  name     text        not null,
  decision text        not null,
  reason   text,
  form     json,
  at       timestamptz not null default clock_timestamp(),

  -- Each has one voice.
  primary key (task_id, step, actor),
  constraint known_decision check (decision in ('approve', 'reject')),
  constraint rejected_for_a_reason check (decision = 'approve' or reason is not null)
) partition by range (task_id);

create or replace function state.partitioned_tables() returns text[] language sql immutable as $$
  -- Locked in this order, which is that of those who work.
  select array['state.tasks', 'state.steps', 'state.task_payloads', 'state.step_payloads', 'state.events',
               'state.task_labels', 'state.signals', 'state.decisions']
$$;

-- The first month also has everything before it.
do $$
declare
  month date;
  first constant date := (select min(partitions.month) from state.partitions);
  part  text;
begin
  for month in select partitions.month from state.partitions loop
    part := state.partition_of('state.decisions', month);
    execute format('create table %s (like state.decisions including all) with %s',
                   part, state.storage_of('state.decisions'));
    execute format('alter table state.decisions attach partition %s for values from (%s) to (%L)', part,
                   case when month = first then 'minvalue' else quote_literal(state.first_id_of(month)) end,
                   state.first_id_of(state.month_after(month)));
  end loop;
end
$$;

create index waits_of_audiences on state.waits (audience, task_id, step) where audience is not null and came_at is null;

create or replace trigger guard_wait before update on state.waits for each row
when ((old.task_id, old.step, old.kind, old.opened_at)
        is distinct from (new.task_id, new.step, new.kind, new.opened_at)
      or old.signal is distinct from new.signal
      or old.audience is distinct from new.audience
      or (old.deadline is null) <> (new.deadline is null)
      or new.deadline < old.deadline)
execute function state.refuse_wait_change();

-- Locks a task, as a decision about it does, and says how one of its steps stands that people
-- decide: so none of two who decide at a time misses the other. `is_over`: it is decided already,
-- or its time has passed, which stands still while the task is paused or halted.
create function state.lock_approval(of_task uuid, of_step text, out state text, out fault_code text, out is_over boolean)
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  task record;
  wait record;
begin
  select tasks.paused_at, tasks.process_state = 'halted' as is_halted into task
    from state.tasks where task_id = of_task for no key update;
  if not found then
    return;
  end if;
  select process_state, steps.fault_code into state, fault_code
    from state.steps where task_id = of_task and name = of_step;
  select came_at is not null
         -- A fault of its own, and not of those who decide, is about to end it.
         or lock_approval.fault_code is not null
         or not task.is_halted and coalesce(case when task.paused_at is null then deadline <= clock_timestamp()
                                                 else deadline <= task.paused_at end, false)
           as is_over into wait
    from state.waits where task_id = of_task and step = of_step;
  is_over := coalesce(wait.is_over, true);
end
$$;

-- Keeps what one of the audience has said, under the lock of `lock_approval`. Where that decides
-- the step, its wait is due: a Scheduler ends it.
create function state.save_decision(of_task uuid, of_step text, actor text, name text, decision text, reason text, form json,
                                    decides boolean) returns timestamptz
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  saved_at timestamptz;
begin
  insert into state.decisions (task_id, step, actor, name, decision, reason, form)
  values (of_task, of_step, save_decision.actor, save_decision.name, save_decision.decision, save_decision.reason,
          save_decision.form)
  returning at into saved_at;
  if decides then
    update state.waits
       set due_at  = clock_timestamp(),
           came_at = clock_timestamp()
     where task_id = of_task and step = of_step and audience is not null;
    perform state.expect_rows(case when found then 1 else 0 end, 1);
  end if;
  return saved_at;
end
$$;

revoke execute on function state.lock_approval(uuid, text) from public;
revoke execute on function state.save_decision(uuid, text, text, text, text, text, json, boolean) from public;
grant execute on function state.lock_approval(uuid, text) to holdfast_submission, holdfast_operations;
grant execute on function state.save_decision(uuid, text, text, text, text, text, json, boolean)
  to holdfast_submission, holdfast_operations;
grant select on state.decisions to holdfast_submission, holdfast_operations, holdfast_scheduler, holdfast_observer;
-- What people are to decide.
grant select on state.waits to holdfast_submission;

create or replace function state.delete_finished_tasks(of_month date, keep interval, at_most integer)
  returns integer language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
declare
  ids uuid[];
begin
  ids := array(
    select task_id
      from state.tasks
      join state.partitions on month = of_month and task_id >= first_id and task_id < end_id
     where finished_at < state.trusted_now() - greatest(keep, interval '1 day')
     order by task_id
     limit at_most
       for update of tasks skip locked);
  delete from state.steps where task_id = any(ids);
  delete from state.task_payloads where task_id = any(ids);
  delete from state.step_payloads where task_id = any(ids);
  delete from state.events where task_id = any(ids);
  delete from state.signals where task_id = any(ids);
  delete from state.decisions where task_id = any(ids);
  delete from state.business_keys as known
   using (select task_id, tenant, regexp_replace(workflow, '\.v[1-9][0-9]{0,5}$', '') as family, business_key
            from state.tasks
           where task_id = any(ids) and business_key is not null) as named
   where (known.tenant, known.family, known.key, known.task_id)
         = (named.tenant, named.family, named.business_key, named.task_id);
  delete from state.task_labels
   using (select task_id, each.key as name, each.value
            from state.tasks cross join lateral jsonb_each_text(labels) as each
           where task_id = any(ids)) as labelled
   where (task_labels.name, task_labels.value, task_labels.task_id) = (labelled.name, labelled.value, labelled.task_id);
  delete from state.tasks where task_id = any(ids);
  return cardinality(ids);
end
$$;

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
            then (step -> 'undo' ->> 'completeWithin')::integer end as undo_complete_within,
       -- How many people must have approved a step that is done; null: others may be done, too.
       case when step ->> 'kind' = 'approval' and step ->> 'onDeadline' <> 'approve' and step ->> 'quorum' ~ '^[0-9]{1,2}$'
            then (step ->> 'quorum')::integer end as quorum
  from state.workflows
 cross join lateral json_array_elements(
         case when json_typeof(definition -> 'steps') = 'array' then definition -> 'steps' end) as step
 where workflows.format in (1, 2, 3, 4)
   -- One of another kind asks no Agent.
   and (step ->> 'agent' ~ '^[a-z][a-z0-9-]{0,62}$' or step ->> 'kind' is not null);

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
  select workflow, step, after, has_undo, quorum from state.step_definitions
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
select 'a signal that came makes its wait due', w.task_id, w.step
  from state.waits w
 where w.signal is not null
   and (w.due_at is null or w.due_at > w.came_at + interval '1 hour')
   and exists (select from state.signals s
                where s.task_id = w.task_id and s.name = w.signal and s.taken_by is null and not s.is_late)
union all
select 'a signal is taken by a step that is done', taken.task_id, taken.taken_by || ': ' || taken.name
  from state.signals taken
 where taken.taken_by is not null
   and not exists (select from state.steps s
                    where s.task_id = taken.task_id and s.name = taken.taken_by and s.process_state = 'processed')
union all
select 'every signal belongs to a task', s.task_id, s.name
  from state.signals s
 where not exists (select from state.tasks t where t.task_id = s.task_id)
union all
select 'a decision that decides makes its wait due', w.task_id, w.step
  from state.waits w
  join state.tasks t on t.task_id = w.task_id
 where w.audience is not null
   and w.came_at is not null
   and (w.due_at is null or w.due_at > w.came_at + interval '1 hour')
   and t.paused_at is null
   and t.process_state <> 'halted'
union all
select 'a step that was rejected is not done', d.task_id, d.step || ' by ' || d.actor
  from state.decisions d
  join state.steps s on s.task_id = d.task_id and s.name = d.step
 where d.decision = 'reject' and s.process_state = 'processed'
union all
select 'a step is done once enough have approved it', s.task_id, s.name
  from state.steps s
  join state.tasks t on t.task_id = s.task_id
  join defined d on d.workflow = t.workflow and d.step = s.name
 where d.quorum is not null
   and s.process_state = 'processed'
   and (select count(*) from state.decisions
         where decisions.task_id = s.task_id and decisions.step = s.name and decision = 'approve') < d.quorum
union all
select 'every decision belongs to a task', d.task_id, d.step
  from state.decisions d
 where not exists (select from state.tasks t where t.task_id = d.task_id)
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

update state.compatibility set schema_version = greatest(schema_version, 34);
