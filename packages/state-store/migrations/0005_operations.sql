-- What operators do, and what the world is told.

-- An operator's words, beside the code.
alter table state.events add column note text;

alter table state.tasks
  add column paused_at    timestamptz,
  add column paused_by    text,
  add column pause_reason text,
  add constraint paused_by_somebody check ((paused_at is null) = (paused_by is null));

-- Lanes and workflows of which nothing is begun until somebody resumes them. The rows stay: they are
-- the history of it.
create table state.pauses (
  id            bigint      generated always as identity primary key,
  kind          text        not null,
  name          text        not null,
  actor         text        not null,
  reason        text        not null,
  paused_at     timestamptz not null default clock_timestamp(),
  resumed_at    timestamptz,
  resumed_by    text,
  resume_reason text,
  -- When the last of the steps that were set aside meanwhile was due again.
  released_at   timestamptz,

  constraint known_kind check (kind in ('agent', 'workflow')),
  constraint resumed_by_somebody check ((resumed_at is null) = (resumed_by is null))
);
create unique index pauses_in_force on state.pauses (kind, name) where resumed_at is null;
create index pauses_to_release on state.pauses (name) where kind = 'workflow' and released_at is null;

-- A person must look: one row for each time that a task halts, not one for each look at it.
create table state.alerts (
  id      bigint      generated always as identity primary key,
  -- Null: about a message that belongs to no task that we know.
  task_id uuid,
  -- The version of the task that brought it about, or the number of the dead letter.
  episode integer     not null,
  kind    text        not null,
  step    text,
  code    text        not null,
  detail  text,
  at      timestamptz not null default clock_timestamp(),
  -- When somebody who listens had it.
  told_at timestamptz,

  constraint known_kind check (kind in ('task.halted', 'undo.failing', 'message.dead'))
);
create unique index alerts_once on state.alerts (kind, episode, task_id, coalesce(step, ''));

-- Messages that follow from a change of state, written with it and deleted once the broker has them.
-- Those of one subject on one channel leave in the order of their ids.
create table state.outbox (
  id             bigint      generated always as identity primary key,
  subject        text        not null,
  channel        text        not null,
  seq            integer     not null,
  -- For a status: the queue of whoever submitted the task.
  address        text,
  correlation_id text,
  body           json        not null,
  -- Until then one Scheduler is sending it.
  leased_until   timestamptz,
  at             timestamptz not null default clock_timestamp(),

  constraint known_channel check (channel in ('status', 'event', 'alert')),
  constraint address_of_a_status check ((channel = 'status') = (address is not null))
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500);
create index outbox_order on state.outbox (subject, channel, id);

-- What running Agents say of themselves.
create table state.agents (
  agent         text        not null,
  instance      text        not null,
  capacity      integer     not null,
  in_flight     integer     not null,
  breaker       text        not null,
  breaker_until timestamptz,
  seen_at       timestamptz not null default clock_timestamp(),

  primary key (agent, instance),
  constraint known_breaker check (breaker in ('closed', 'open', 'half-open'))
);

update state.compatibility set schema_version = 2;

-- Like before, and further: a paused task waits for its operator, and whoever halts is told of.
create or replace view state.invariant_violations as
with summed as (
  select t.task_id, t.goal, t.process_state, t.updated_at, t.paused_at is not null as paused,
         count(s.name)                                                                as steps,
         count(*) filter (where s.process_state = 'error')                            as in_error,
         count(*) filter (where s.process_state = 'error' and s.kind = 'compensation') as undo_in_error,
         count(*) filter (where s.process_state in ('processed', 'skipped'))          as done,
         count(*) filter (where s.process_state in ('waiting', 'pending', 'processing')) as open,
         count(*) filter (where s.process_state in ('pending', 'processing', 'error')) as moving,
         count(*) filter (where s.attempt > 0)                                        as attempted
    from state.tasks t
    left join state.steps s using (task_id)
   group by t.task_id
),
chained as (
  select task_id, step, from_state, action,
         lag(to_state) over (partition by task_id, step order by id) as before
    from state.events
   where step is not null
)
select 'every task has steps' as invariant, task_id, null as witness
  from summed where steps = 0
union all
select 'the state of a task follows from its steps', task_id, process_state
  from summed
 where process_state <> case
         when goal = 'do' and in_error > 0     then 'error'
         when goal = 'do' and done = steps     then 'processed'
         when goal = 'do' and attempted > 0    then 'processing'
         when goal = 'do'                      then 'pending'
         when undo_in_error > 0                then 'error'
         when open = 0                         then 'compensated'
         else 'compensating'
       end
   -- A claim leaves the task to whoever holds its lock: that one sums it up.
   and not (goal = 'do' and process_state = 'pending' and attempted > 0 and in_error = 0 and done < steps)
union all
select 'an unfinished task has something to wait for', task_id, process_state
  from summed
 where process_state not in ('processed', 'compensated') and moving = 0 and not paused
union all
select 'nothing more is begun of a paused task', s.task_id, s.name
  from state.steps s
  join state.tasks t using (task_id)
 where t.paused_at is not null and s.process_state = 'pending'
union all
select 'nothing is left to do in a finished task', task_id, process_state
  from summed
 where process_state in ('processed', 'compensated') and open > 0
union all
select 'what an undone task did is undone', s.task_id, s.name
  from state.steps s
  join state.tasks t using (task_id)
 where t.process_state = 'compensated' and s.kind = 'compensation'
   and s.process_state not in ('processed', 'skipped')
union all
select 'an attempt is claimed once', task_id, step || ' ' || attempt
  from state.events
 where action = 'claim'
 group by task_id, step, attempt
having count(*) > 1
union all
select 'the history of a step is unbroken', task_id, step || ': ' || before || ' then ' || from_state
  from chained
 where before is not null and before <> from_state
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

grant select on state.pauses, state.agents, state.alerts
   to holdfast_submission, holdfast_scheduler, holdfast_supervisor;
-- Whoever changes a task tells of it.
grant insert on state.alerts, state.outbox
   to holdfast_submission, holdfast_scheduler, holdfast_supervisor;
grant select, update, delete on state.outbox to holdfast_scheduler;
grant update on state.alerts to holdfast_scheduler;
grant select (id, queue, reason, at) on state.dead_letters to holdfast_scheduler;
grant update on state.pauses to holdfast_scheduler;
grant select, insert, update, delete on state.agents to holdfast_scheduler;
-- What operators ask for comes through the submission service.
grant update on state.tasks, state.steps to holdfast_submission;
grant insert, update on state.step_payloads to holdfast_submission;
grant insert, update on state.pauses to holdfast_submission;
