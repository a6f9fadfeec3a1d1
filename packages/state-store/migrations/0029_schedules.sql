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
grant select (id, due_at, paused_at, skips) on state.schedules to holdfast_supervisor, holdfast_scheduler;
grant select (schedule, at), delete on state.schedule_fires to holdfast_supervisor;

update state.compatibility set schema_version = greatest(schema_version, 35);
