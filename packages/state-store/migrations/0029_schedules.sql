-- Schedules: submit a task at each instant of a calendar. What fires is put into the inbox in the
-- transaction that writes down that it has. See decision 0202.

-- phase: online
create table state.schedules (
  id            text        primary key,
  tenant        text        not null default 'default',
  definition    json        not null,
  -- Rises with each change of the definition.
  version       integer     not null default 1,
  -- The first instant that it has not dealt with; null: there is none.
  next_instant  timestamptz,
  -- When it is looked at; null: never, as while it is paused.
  due_at        timestamptz,
  -- The instant that waits for the end of the last task.
  buffered      timestamptz,
  -- What it dealt with last: what comes after it is computed anew when the rules of zones change.
  dealt_with    timestamptz not null default clock_timestamp(),
  -- Until its end is counted.
  last_task     uuid,
  -- In a row.
  failures      integer     not null default 0,
  skips         integer     not null default 0,
  paused_at     timestamptz,
  paused_by     text,
  pause_reason  text,
  -- The rules of time zones by which next_instant was computed.
  zone_rules    text        not null,
  created_at    timestamptz not null default clock_timestamp(),
  changed_at    timestamptz not null default clock_timestamp(),
  changed_by    text        not null,

  constraint paused_as_a_whole check ((paused_at is null) = (paused_by is null)),
  constraint looked_at_unless_paused check (paused_at is null or due_at is null),
  constraint counters_are_possible check (failures >= 0 and skips >= 0)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

create index schedules_due on state.schedules (due_at) where due_at is not null;

-- What became of an instant, each once; kept for as long as records are.
create table state.schedule_fires (
  schedule   text        not null,
  instant    timestamptz not null,
  outcome    text        not null,
  -- The task that it is for; null: none.
  task_id    uuid,
  -- Who had it fire by hand; null: its calendar.
  actor      text,
  reason     text,
  at         timestamptz not null default clock_timestamp(),

  primary key (schedule, instant),
  constraint known_outcome check (outcome in ('fired', 'missed', 'skipped', 'buffered')),
  constraint fired_for_a_task check ((outcome = 'fired') = (task_id is not null))
);
create index schedule_fires_by_age on state.schedule_fires (at);
create index schedule_fires_by_task on state.schedule_fires (task_id) where task_id is not null;

-- Those who take tasks fire schedules, and operators have and make them.
grant select, update (next_instant, due_at, buffered, dealt_with, last_task, failures, skips, paused_at, paused_by, pause_reason,
                      zone_rules)
  on state.schedules to holdfast_submission;
grant select, insert, update (outcome, task_id, actor, reason, at) on state.schedule_fires to holdfast_submission, holdfast_operations;
grant select, insert, update, delete on state.schedules to holdfast_operations;
grant insert on state.inbox to holdfast_submission, holdfast_operations;
grant execute on function state.wake_inbox(), state.notify_inbox() to holdfast_submission, holdfast_operations;
grant execute on function state.raise_alert(text, text, text) to holdfast_submission;
grant select (schedule, instant, at), delete on state.schedule_fires to holdfast_supervisor;
-- What metrics say of schedules.
grant select (due_at) on state.schedules to holdfast_scheduler;

-- As before, and with what fired.
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
select 'what fired has its task or its refusal', f.task_id, f.schedule
  from state.schedule_fires f
 where f.task_id is not null
   -- What is older may have been deleted.
   and f.at > clock_timestamp() - interval '1 hour'
   and not exists (select from state.inbox where inbox.task_id = f.task_id)
   and not exists (select from state.refusals where refusals.task_id = f.task_id)
   and not exists (select from state.tasks t where t.task_id = f.task_id)
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

update state.compatibility set schema_version = greatest(schema_version, 35);
