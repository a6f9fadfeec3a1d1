-- The state store: what is to be done, by whom, until when, and what became of it.


-- Schema

create schema if not exists state;


-- Roles

-- One role for each service, with what its work needs and no more. What operators do has a role of its
-- own: the role that faces customers submits tasks and reads them, and changes nothing of a task that is
-- there. An application submits tasks in transactions of its own. The observer sees everything and changes
-- nothing: for the logins of people and of monitoring. The database's administrator makes the
-- logins and grants each of them one of these. Agents have none.
do $$
declare
  wanted text;
begin
  foreach wanted in array array['holdfast_submission', 'holdfast_operations', 'holdfast_scheduler',
                                'holdfast_supervisor', 'holdfast_application', 'holdfast_observer'] loop
    if not exists (select from pg_roles where rolname = wanted) then
      begin
        execute format('create role %I nologin', wanted);
      exception when duplicate_object or unique_violation then
        null; -- Roles belong to the whole server: another database was migrated at the same moment.
      end;
    end if;
  end loop;
end
$$;


-- Tables

-- A service refuses to run on a store that it does not know.
create table state.compatibility (
  singleton      boolean  primary key default true check (singleton),
  schema_version integer  not null,
  oldest_reader  integer  not null
);
insert into state.compatibility (schema_version, oldest_reader) values (9, 9);

create table state.workflows (
  name           text        primary key,
  content_hash   text        not null,
  format         smallint    not null,
  definition     json        not null,
  created_at     timestamptz not null default clock_timestamp(),
  -- From then on it takes no new tasks.
  retired_at     timestamptz,
  retired_by     text,
  retired_reason text
);

-- Under which noun the tasks of a workflow, in all its versions, have routes of their own.
create table state.collections (
  collection text        primary key,
  -- The name of the workflow without its version.
  family     text        not null,
  created_at timestamptz not null default clock_timestamp()
);

-- As many keys expire as are added. By default a fifth of the table would be dead before a vacuum.
create table state.submissions (
  tenant          text        not null,
  idempotency_key text        not null,
  request_hash    text        not null,
  task_id         uuid        not null,
  expires_at      timestamptz not null,

  primary key (tenant, idempotency_key)
) with (autovacuum_vacuum_scale_factor = 0.05);

-- Which task an application's own key stands for. It is taken anew once that task has ended; the Supervisor
-- deletes those of tasks that have ended. Not by month: a key is unique among all tasks that are open.
create table state.business_keys (
  tenant  text not null,
  family  text not null,
  key     text not null,
  task_id uuid not null,

  primary key (tenant, family, key)
) with (autovacuum_vacuum_scale_factor = 0.05);

-- The key up to which the Supervisors have looked for keys that are free: the next look goes on there, whichever
-- process has it.
create table state.business_key_sweep (
  singleton boolean primary key default true check (singleton),
  tenant    text not null,
  family    text not null,
  key       text not null
);
insert into state.business_key_sweep (tenant, family, key) values ('', '', '');

-- What every task adds rows to is kept by month, so that the past is dropped and not deleted row by row.
-- Ids begin with their time, which is the store's: a span of time is a range of ids, and who knows an id
-- looks into one partition. No foreign keys: each would be checked with every row.

create table state.tasks (
  task_id        uuid        primary key,
  tenant         text        not null default 'default',
  workflow       text        not null,
  goal           text        not null default 'do',
  process_state  text        not null default 'pending',
  version        integer     not null default 1,
  priority       text        not null default 'normal',
  -- The steps of tasks with a key share a band by weight; null: first come, first served.
  fairness_key    text,
  fairness_weight smallint,
  fault_code     text,
  complete_by    timestamptz,
  reply_to       text,
  correlation_id text,
  -- The application's own name of what the task is about: at most one open task of a workflow has it.
  business_key   text,
  labels         jsonb,
  -- From when on its first steps are due, as its application asked; null: from the beginning.
  begin_at       timestamptz,
  parent_task_id uuid,
  parent_step    text,
  format         smallint    not null default 1,
  created_at     timestamptz not null default clock_timestamp(),
  updated_at     timestamptz not null default clock_timestamp(),
  finished_at    timestamptz,
  paused_at      timestamptz,
  paused_by      text,
  pause_reason   text
) partition by range (task_id);

-- The labels of tasks once more, to be searched.
create table state.task_labels (
  name    text not null,
  value   text not null,
  task_id uuid not null,

  primary key (name, value, task_id)
) partition by range (task_id);

create table state.steps (
  task_id         uuid        not null,
  name            text        not null,
  kind            text        not null,
  -- What is claimed as one: the Agent, or the names of a pool's Agents with `+` between them.
  lane            text        not null,
  -- Of a step of a pool: the Agent of its last attempt, or the one that must have the first. Null: the lane is the
  -- Agent, or none was chosen yet.
  agent           text,
  process_state   text        not null,
  -- Undo 0, urgent 1, normal 2, batch 3: the lowest that is due in a lane is claimed first.
  band            smallint    not null default 2,
  -- The order in the band; null while the step may not be taken. The due time, or, of a task with a fairness
  -- key, a virtual time: from the year 3000 on, see sql/claim/rank-fair-steps.sql.
  rank            timestamptz,
  not_before      timestamptz,
  locked_by       text,
  start_by        timestamptz,
  complete_by     timestamptz,
  token           uuid,
  dispatched_at   timestamptz,
  -- What the Agent of the attempt says of it: when it began, when its handler was last at work, and how far it is.
  started_at      timestamptz,
  heartbeat_at    timestamptz,
  progress        json,
  -- From then on any Scheduler may publish the request again, if it is not marked as dispatched.
  relay_at        timestamptz,
  attempt         integer     not null default 0,
  failure_count   integer     not null default 0,
  requeue_count   integer     not null default 0,
  cool_downs      integer     not null default 0,
  key_generation  integer     not null default 0,
  admitted        boolean     not null,
  may_have_effect boolean     not null default false,
  fault_code      text,
  start_within    integer     not null,
  complete_within integer     not null,
  -- How long an attempt may last with heartbeats; null: they extend nothing.
  extend_up_to    integer,
  format          smallint    not null default 1,
  -- Whether the request was published again: then two copies of it may be in queues or with Agents, and
  -- what becomes of one of them says nothing about the other.
  relayed         boolean     not null default false,

  primary key (task_id, name)
) partition by range (task_id);

create table state.task_payloads (
  task_id uuid primary key,
  input   json not null
) partition by range (task_id);

-- Written once, read at dispatch: kept out of the rows that change with every move.
create table state.step_payloads (
  task_id      uuid not null,
  name         text not null,
  -- Only when an operator corrected it; otherwise it follows from the definition.
  input        json,
  output       json,
  fault_detail text,

  primary key (task_id, name)
) partition by range (task_id);

create table state.events (
  id         bigint      generated always as identity,
  task_id    uuid        not null,
  step       text,
  action     text        not null,
  from_state text,
  to_state   text        not null,
  attempt    integer,
  actor      text        not null,
  reason     text,
  at         timestamptz not null default clock_timestamp(),
  -- An operator's words, beside the code.
  note       text,

  primary key (task_id, id)
) partition by range (task_id);

-- Unreadable and unusable messages are kept as bytes.
create table state.rejected_replies (
  id      bigint      generated always as identity primary key,
  task_id uuid,
  step    text,
  attempt integer,
  reason  text        not null,
  sender  text,
  at      timestamptz not null default clock_timestamp(),
  -- The bytes that came.
  body    bytea       not null
);

create table state.dead_letters (
  id         bigint      generated always as identity primary key,
  queue      text        not null,
  reason     text        not null,
  message_id text,
  type       text,
  sender     text,
  body       bytea       not null,
  at         timestamptz not null default clock_timestamp(),
  -- What was wrong, in words.
  detail     text,
  -- Bytes of the message as it came, where only the first of them are kept.
  size       integer
);

-- When an alert was last raised for dead letters of a queue and reason, so that a flood raises one a minute.
create table state.dead_letter_alerts (
  queue     text        not null,
  reason    text        not null,
  raised_at timestamptz not null,
  -- How many letters that alert was about.
  reported  integer     not null,
  -- How many have come since.
  unreported integer     not null default 0,

  primary key (queue, reason)
);

-- Agents and workflows that an operator paused: no step of them is claimed until a resume. The rows stay: they are
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

-- A person must look: one row for each time that a task halts, not one for each look at it.
create table state.alerts (
  id       bigint      generated always as identity primary key,
  -- Null: about a message that belongs to no task that we know.
  task_id  uuid,
  -- The version of the task that brought it about, or the number of the dead letter.
  episode  integer     not null,
  kind     text        not null,
  step     text,
  code     text        not null,
  detail   text,
  at       timestamptz not null default clock_timestamp(),
  -- When a queue of a subscriber received it.
  told_at  timestamptz,
  -- How many messages it is about; null: one, or none.
  messages integer,

  -- Alerts are of more and more kinds: what a kind looks like is enough.
  constraint known_kind check (kind ~ '^[a-z]+\.[a-z_]+$')
);

-- Messages that follow from a change of state, written with it and deleted once the broker has them.
-- Those of one subject on one channel leave in the order of their ids.
create table state.outbox (
  id             bigint      generated always as identity primary key,
  subject        text        not null,
  channel        text        not null,
  seq            integer     not null,
  -- For a status: the queue that the submitter named.
  address        text,
  correlation_id text,
  body           json        not null,
  -- Until then one Scheduler is sending it.
  leased_until   timestamptz,
  at             timestamptz not null default clock_timestamp(),

  constraint known_channel check (channel in ('status', 'event', 'alert')),
  constraint address_of_a_status check ((channel = 'status') = (address is not null))
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500);

-- What running Agents say of themselves.
create table state.agents (
  agent         text        not null,
  instance      text        not null,
  capacity      integer     not null,
  in_flight     integer     not null,
  breaker       text        not null,
  breaker_until timestamptz,
  -- All that it performs, undos included; null: unknown, as for an instance that does not announce it.
  operations    text[],
  seen_at       timestamptz not null default clock_timestamp(),
  -- Unless another heartbeat comes, it counts as gone then; in the past: it said that it leaves.
  lives_until   timestamptz not null default clock_timestamp(),

  primary key (agent, instance),
  constraint known_breaker check (breaker in ('closed', 'open', 'half-open'))
) with (fillfactor = 50, toast_tuple_target = 256, autovacuum_vacuum_scale_factor = 0.05);

-- The virtual time of each fairness key, in each band of each lane, from which its next step is ranked. A key
-- that the queue has passed is deleted: it would begin where the queue is. The row with the empty key says from
-- where on to search for the head of the queue.
create table state.fairness_keys (
  lane  text        not null,
  band  smallint    not null,
  key   text        not null collate "C",
  next  timestamptz not null,
  -- What the steps that were ranked last took: `next` was less by that.
  taken interval    not null,

  primary key (lane, band, key)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

-- The circuit breaker of each remote service that has ever been in trouble: all Schedulers share it. A service
-- without a row is closed.
create table state.breakers (
  service         text        primary key,
  state           text        not null,
  -- When it came to be so.
  since           timestamptz not null,
  -- Open: when a probe is due; infinity: an operator holds it open.
  open_until      timestamptz,
  -- How often in a row it has opened: each time for longer.
  openings        integer     not null default 0,
  -- The service asked to be left alone until then.
  throttled_until timestamptz,
  -- Who opened or closed it last, and why.
  actor           text        not null,
  reason          text        not null,
  -- Half-open: the one step that is tried, and the token of the attempt.
  probe_task_id   uuid,
  probe_step      text,
  probe_token     uuid,
  -- When operators were alerted last that it has opened.
  alerted_at      timestamptz,

  constraint known_state check (state in ('closed', 'open', 'half-open')),
  constraint open_until_then check ((state = 'open') = (open_until is not null)),
  constraint half_open_with_probe check ((state = 'half-open') = (probe_token is not null)),
  constraint whole_probe check (num_nonnulls(probe_task_id, probe_step, probe_token) in (0, 3))
) with (fillfactor = 50);

-- The Agents that have ever sent a heartbeat. `state.agents` forgets those that are silent for a day.
create table state.known_agents (
  agent      text        primary key,
  first_seen timestamptz not null default clock_timestamp()
);

-- The remote services that Agents wrap, as stored workflows say. An Agent that is missing wraps one of its own name.
create table state.remotes (
  agent       text    primary key,
  service     text    not null,
  -- Whether the service knows a key whichever of its Agents sends it.
  shares_keys boolean not null
);

-- Consumers of running Schedulers that fail to record what they have read.
create table state.standstills (
  instance text        not null,
  queue    text        not null,
  -- How many messages failed together, and how often.
  messages integer     not null,
  failures integer     not null,
  since    timestamptz not null,
  error    text        not null,
  seen_at  timestamptz not null default clock_timestamp(),

  primary key (instance, queue)
);

-- Times by which something is deleted. The store's clock is trusted as long as a Supervisor has looked at it in
-- the last day: a failover to a server whose clock is months ahead must not delete the past.
create table state.trusted_clock (
  singleton   boolean     primary key default true check (singleton),
  at          timestamptz not null,
  -- The first look, and the last, since the clock has been ahead; null: it is not.
  ahead_since timestamptz,
  ahead_at    timestamptz
);
insert into state.trusted_clock (at) values (clock_timestamp());


-- Indexes

-- Whatever moves a task or a step writes to each index that has one of the columns that it changes: most moves
-- of a task change none of these, and find room beside the row.
create index tasks_unfinished on state.tasks (task_id) where finished_at is null;
-- A limit on the whole task is rare.
create index tasks_limited on state.tasks (complete_by)
  where complete_by is not null and finished_at is null;
create index tasks_by_key on state.tasks (business_key, task_id) where business_key is not null;
-- Whether a task of a month that is over was finished long after it had begun: few are. Only these may have
-- to be kept for longer than their month.
create index tasks_slow on state.tasks (finished_at) where finished_at - created_at > interval '1 day';

create index steps_due      on state.steps (lane, band, rank)
  where process_state = 'pending' and rank is not null;
create index steps_resting  on state.steps (not_before)  where process_state = 'pending' and rank is null;
create index steps_expiring on state.steps (complete_by) where process_state = 'processing';

-- Which key has got furthest, and which have nothing to be remembered for.
create index fairness_keys_next on state.fairness_keys (lane, band, next);

-- Keys that have expired are looked for.
create index submissions_expiring on state.submissions (expires_at);

create index rejected_replies_task on state.rejected_replies (task_id);

create unique index pauses_in_force on state.pauses (kind, name) where resumed_at is null;
create index pauses_to_release on state.pauses (name) where kind = 'workflow' and released_at is null;

create unique index alerts_once on state.alerts (kind, episode, task_id, coalesce(step, ''));

create index outbox_order on state.outbox (subject, channel, id);
-- Notifications are sent by destination, in turn: a queue that takes none must not hold up all others.
create index outbox_by_destination on state.outbox
  ((channel || ' ' || coalesce(address, body ->> 'kind', (body ->> 'event') || '.' || (body ->> 'workflow'))) collate "C", id);


-- Functions: ids and months

-- Ids order by time, and the time is the store's: no host's clock decides where a row goes.
do $$
begin
  if current_setting('server_version_num')::integer >= 180000 then
    create function state.new_task_id() returns uuid language sql volatile as 'select uuidv7()';
  else
    create function state.new_task_id() returns uuid language sql volatile as $body$
      select encode(
        overlay(
          overlay(uuid_send(gen_random_uuid())
            placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
            from 1 for 6)
          placing set_byte(substring(uuid_send(gen_random_uuid()) from 7 for 1), 0,
            112 + get_byte(uuid_send(gen_random_uuid()), 0) % 16)
          from 7 for 1),
        'hex')::uuid
    $body$;
  end if;
end
$$;

create function state.partitioned_tables() returns text[] language sql immutable as $$
  -- Locked in this order, which is that of those who work.
  select array['state.tasks', 'state.steps', 'state.task_payloads', 'state.step_payloads', 'state.events',
               'state.task_labels']
$$;

-- Months are those of UTC.
create function state.month_of(instant timestamptz) returns date language sql immutable as $$
  select date_trunc('month', instant at time zone 'UTC')::date
$$;

create function state.month_after(month date) returns date language sql immutable as $$
  select (month + interval '1 month')::date
$$;

-- No task of that time or of a later one has an id below it.
create function state.first_id_of(instant timestamptz) returns uuid language sql immutable as $$
  select (lpad(to_hex((extract(epoch from instant) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

create function state.first_id_of(month date) returns uuid language sql immutable as $$
  select state.first_id_of(month::timestamp at time zone 'UTC')
$$;

create function state.partition_of(parent text, month date) returns text language sql immutable as $$
  select parent || '_' || extract(year from month) || '_' || lpad(extract(month from month)::text, 2, '0')
$$;

-- How a partition is stored: those that change with every move are kept loose, and cleaned up often.
create function state.storage_of(parent text) returns text language sql immutable as $$
  select case parent
    when 'state.tasks' then '(fillfactor = 60, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500)'
    when 'state.steps' then '(fillfactor = 85, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500)'
    else '(fillfactor = 100)'
  end
$$;


-- Views: months

-- The months that there are. The first also has everything before it.
create view state.partitions as
select month,
       case when month = min(month) over () then '00000000-0000-0000-0000-000000000000'::uuid
            else state.first_id_of(month) end        as first_id,
       state.first_id_of(state.month_after(month))   as end_id
  from (select to_date(substring(pg_class.relname from '^tasks_(.+)$'), 'YYYY_MM') as month
          from pg_inherits
          join pg_class on pg_class.oid = inhrelid
         where inhparent = to_regclass('state.tasks')) as known;

-- The months in which a step may be due, resting or in flight: this one, the next when it is about to begin,
-- and whichever has some. As one range of ids, so that the plan of a scan has no other partitions; null when
-- this month has no partition. Ids of replies come from outside and can name any month: services prepare
-- statements only for months that have partitions, which the last two columns say.
create view state.busy_months as
select case when bool_or(is_now) then min(first_id::text)::uuid end as first_id,
       case when bool_or(is_now) then max(end_id::text)::uuid end   as end_id,
       -- The first partition also has everything before its month.
       (select state.first_id_of(min(month)) from state.partitions) as first_known_id,
       (select max(end_id::text)::uuid from state.partitions)       as end_known_id
  from (select first_id, end_id, month = state.month_of(clock_timestamp()) as is_now,
               month in (state.month_of(clock_timestamp()),
                         state.month_of(clock_timestamp() + interval '1 minute')) as is_current
          from state.partitions
        offset 0) as known
 where is_current
    -- Each in the order of an index that has no others.
    or exists (select from (select from state.steps
                             where task_id >= first_id and task_id < end_id
                               and process_state = 'pending' and rank is not null
                             order by lane, band, rank limit 1) as due)
    or exists (select from (select from state.steps
                             where task_id >= first_id and task_id < end_id
                               and process_state = 'pending' and rank is null
                             order by not_before limit 1) as resting)
    or exists (select from (select from state.steps
                             where task_id >= first_id and task_id < end_id
                               and process_state = 'processing'
                             order by complete_by limit 1) as in_flight);


-- Functions: rules of rows

-- The caller says how many rows it means to change. Another number is a bug, and the transaction is rolled back.
create function state.expect_rows(changed bigint, intended bigint) returns void language plpgsql as $$
begin
  if changed <> intended then
    raise exception 'changed % rows where % were intended', changed, intended using errcode = 'HF002';
  end if;
end
$$;

create function state.refuse_row(of_table text, violated text, of_row text) returns boolean
  language plpgsql as $$
begin
  raise check_violation using
    message    = format('row of %I violates check constraint %I', of_table, violated),
    detail     = of_row,
    schema     = 'state',
    table      = of_table,
    constraint = violated;
end
$$;

-- Each table that every task writes has one CHECK instead of many. Postgres reads the text of a CHECK anew for
-- each statement, which took longer than to write the row; the body of a function is compiled once in a
-- session. A violation is reported under the name of the rule. Each partition has its own CHECK, for a rule
-- about the whole row is not inherited, and one about all its columns takes longer to read than the statement.
create function state.is_sound(task state.tasks) returns boolean language plpgsql as $$
declare
  violated constant text := case
    when task.goal not in ('do', 'undo') then 'known_goal'
    when task.process_state not in
      ('pending', 'processing', 'processed', 'error', 'compensating', 'compensated') then 'known_state'
    when (task.process_state in ('processed', 'compensated')) <> (task.finished_at is not null)
      then 'finished_exactly_at_the_end'
    when task.process_state in ('compensating', 'compensated') and task.goal <> 'undo'
      then 'undone_only_when_asked'
    when task.priority not in ('urgent', 'normal', 'batch') then 'known_priority'
    when (task.fairness_key is null) <> (task.fairness_weight is null)
      or task.fairness_key = ''
      or task.fairness_weight not between 1 and 1000 then 'weight_exactly_with_a_key'
    when (task.paused_at is null) <> (task.paused_by is null) then 'paused_by_somebody'
    when task.labels is not null and jsonb_typeof(task.labels) <> 'object' then 'labels_are_a_map'
  end;
begin
  return violated is null or state.refuse_row('tasks', violated, format('task %s', task.task_id));
end
$$;

create function state.is_sound(step state.steps) returns boolean language plpgsql as $$
declare
  in_hand  constant boolean := step.process_state = 'processing';
  due      constant boolean := step.process_state = 'pending';
  violated constant text    := case
    when step.kind not in ('call', 'compensation', 'timer', 'signal', 'approval', 'map', 'child')
      then 'known_kind'
    when step.process_state not in
      ('waiting', 'pending', 'processing', 'processed', 'error', 'skipped', 'cancelled')
      then 'known_state'
    when in_hand <> (step.locked_by is not null)
      or in_hand <> (step.start_by is not null)
      or in_hand <> (step.complete_by is not null)
      or in_hand <> (step.token is not null)
      or in_hand <> (step.relay_at is not null) then 'locked_exactly_while_processing'
    when due <> (step.not_before is not null) then 'due_exactly_while_pending'
    when step.rank is not null and not due then 'ranked_only_while_pending'
    when step.band not between 0 and 3 then 'known_band'
    when step.dispatched_at is not null and not in_hand then 'marked_only_while_processing'
    when (step.started_at is not null or step.heartbeat_at is not null or step.progress is not null) and not in_hand
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

create function state.make_sound(part text) returns void language plpgsql as $$
begin
  -- Not valid: the existing rows have passed the same rules, and validating would read all of them under a lock.
  execute format('alter table %s add constraint sound check (state.is_sound(%I)) not valid',
                 part, split_part(part, '.', 2));
end
$$;


-- Functions: partitions

-- Has the planner think that the empty tables of a month are full. It takes a range of a table that it knows
-- nothing of for a small part, and would read it from end to end to find one row; and a plan that is made in
-- the first moment of a month is kept for a minute or longer.
create function state.seem_full(month date) returns void language plpgsql as $$
declare
  tasks constant text := state.partition_of('state.tasks', month);
  steps constant text := state.partition_of('state.steps', month);
  used  boolean;
begin
  execute format('select exists (select from %s) or exists (select from %s)', tasks, steps) into used;
  if used then
    raise exception 'the month % has tasks already', month;
  end if;
  execute format(
    'insert into %s (task_id, workflow)
     select overlay(state.first_id_of(%L::date + number * (interval ''1 month'' / 300))::text
                    placing right(gen_random_uuid()::text, 22) from 15)::uuid, ''x''
       from generate_series(0, 299) as number', tasks, month);
  execute format(
    'insert into %s (task_id, name, kind, lane, process_state, rank, not_before, admitted, start_within,
                     complete_within)
     select task_id, name, ''call'', name, state, due, due, true, 1, 1
       from %s
      cross join (values (''a'', ''pending'', now()), (''b'', ''waiting'', null), (''c'', ''waiting'', null))
              as step (name, state, due)', steps, tasks);
  execute format('analyze %s, %s', tasks, steps);
  begin
    -- In a transaction of its own within this one, for then it forgets how large they are.
    execute format('truncate %s, %s', tasks, steps);
  exception when assert_failure then
    raise;
  end;
end
$$;

-- Makes those of the tables that do not have one.
create function state.make_partition(month date) returns void language plpgsql as $$
declare
  missing text[] := array(select parent from unnest(state.partitioned_tables()) as parent
                           where to_regclass(state.partition_of(parent, month)) is null);
  parent  text;
  part    text;
begin
  foreach parent in array missing loop
    execute format('create table %s (like %s including all excluding identity) with %s',
                   state.partition_of(parent, month), parent, state.storage_of(parent));
  end loop;
  if missing @> array['state.tasks', 'state.steps'] then
    perform state.seem_full(month);
  end if;
  foreach parent in array missing loop
    part := state.partition_of(parent, month);
    execute format('alter table %s attach partition %s for values from (%L) to (%L)', parent,
                   part, state.first_id_of(month), state.first_id_of(state.month_after(month)));
    if parent in ('state.tasks', 'state.steps') then
      perform state.make_sound(part);
    end if;
  end loop;
end
$$;

-- Makes the partitions of this month and the next, and of those since the last one that there is; says which it
-- made. Of a gap that is longer than a year, which only a clock that jumped leaves, it makes the last thirteen months.
create function state.make_partitions() returns date[] language plpgsql security definer
  set search_path = pg_catalog, pg_temp set lock_timeout = '1s' as $$
declare
  this constant date := state.month_of(clock_timestamp());
  made date[];
begin
  -- One at a time.
  lock table only state.events in share update exclusive mode;
  made := array(
    select one::date
      from generate_series(
             least(this, greatest((select state.month_after(max(month)) from state.partitions),
                                  (this - interval '13 months')::date))::timestamp,
             state.month_after(this), '1 month') as one
     where one::date not in (select month from state.partitions)
       -- What is before the first month is in its partition.
       and one::date > (select min(month) from state.partitions)
     order by 1);
  perform state.make_partition(month) from unnest(made) as month;
  return made;
end
$$;


-- Functions: retention, by a clock that has not jumped

-- As far as the clock is trusted. A Supervisor that runs once a day may be late. Wherever passing time gives up
-- something that is kept, a row or a key that protects one, this decides, and not the clock.
create function state.trusted_now() returns timestamptz language sql stable security definer
  set search_path = pg_catalog, pg_temp as $$
  select case when clock_timestamp() <= at + interval '26 hours' then clock_timestamp() else at end
    from state.trusted_clock
$$;

create function state.raise_alert(kind text, code text, detail text) returns void language sql
  security definer set search_path = pg_catalog, pg_temp as $$
  with alert as (
    insert into state.alerts (episode, kind, code, detail)
    select (extract(epoch from clock_timestamp()) / 60)::integer, kind, code, detail
    returning episode, alerts.kind, alerts.code, alerts.detail, at
  )
  insert into state.outbox (subject, channel, seq, body)
  select alert.kind || ':' || episode || ':' || alert.code, 'alert', 1,
         json_build_object('taskId', null, 'episode', episode, 'kind', alert.kind, 'step', null,
                           'code', alert.code, 'detail', alert.detail, 'at', at)
    from alert
$$;

-- Looks at the clock, once in each round of a Supervisor. When it is more than a day ahead of the last look,
-- either it has jumped or no Supervisor was running: nothing is forgotten for a day, in which a person is
-- alerted; from then on a month is made up for each day. Says since when it has been ahead.
create function state.look_at_clock() returns timestamptz language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
declare
  now   constant timestamptz := clock_timestamp();
  known state.trusted_clock;
begin
  select * into known from state.trusted_clock for update;
  if now <= known.at + interval '26 hours' then
    -- Also when it was set back.
    update state.trusted_clock set at = now, ahead_since = null, ahead_at = null;
    return null;
  end if;
  if known.ahead_since is null or now < known.ahead_at or now > known.ahead_at + interval '26 hours' then
    update state.trusted_clock set ahead_since = now, ahead_at = now;
    perform state.raise_alert('store.clock_jumped', 'store.clock_jumped',
      format('the store''s clock says %s, a day or more after the last look at %s: nothing is deleted for a day',
             now, known.at));
    return now;
  end if;
  if now < known.ahead_since + interval '1 day' then
    update state.trusted_clock set ahead_at = now;
  else
    update state.trusted_clock
       set at = least(now, known.at + interval '1 month'), ahead_since = now, ahead_at = now;
  end if;
  return known.ahead_since;
end
$$;

-- Deletes finished tasks of a month that has to stay, with all that is kept of them. Says how many.
create function state.delete_finished_tasks(of_month date, keep interval, at_most integer)
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

-- What is to be kept of a month that ended longer ago than tasks are to be kept, and a day.
create function state.must_stay(of_month date, keep interval, out has_unfinished boolean, out has_recent boolean)
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select exists (select from state.tasks
                  where task_id >= first_id and task_id < end_id
                    and finished_at is null),
         -- A task that was still recent a day after the end of its month was slow.
         exists (select from state.tasks
                  where task_id >= first_id and task_id < end_id
                    and finished_at - created_at > interval '1 day'
                    and finished_at > state.trusted_now() - keep)
    from state.partitions
   where month = of_month
$$;

-- Drops a month of which nothing is to be kept, all its tables at once. Returns false if the month
-- must stay, or if the locks on these tables cannot be had within 100 ms.
create function state.drop_month(of_month date, keep interval) returns boolean language plpgsql security definer
  set search_path = pg_catalog, pg_temp set lock_timeout = '100ms' as $$
declare
  at_least constant interval := greatest(keep, interval '1 day');
  is_first boolean;
  parent   text;
  part     regclass;
begin
  foreach parent in array state.partitioned_tables() loop
    execute format('lock table only %s in access exclusive mode', parent);
  end loop;
  -- Read once the locks are held.
  select of_month = (select min(month) from state.partitions) into is_first
    from state.partitions
   cross join state.must_stay(of_month, at_least)
   where month = of_month
     and end_id <= state.first_id_of(state.trusted_now() - at_least - interval '1 day')
     and not has_unfinished
     and not has_recent;
  if not found then
    return false; -- Or another session was quicker.
  end if;
  foreach parent in array state.partitioned_tables() loop
    for part in select inhrelid
                  from pg_inherits
                  join pg_class on pg_class.oid = inhrelid
                 where inhparent = parent::regclass
                   and (inhrelid = to_regclass(state.partition_of(parent, of_month))
                        or is_first and pg_class.relname < split_part(state.partition_of(parent, of_month), '.', 2))
    loop
      execute format('drop table %s', part);
    end loop;
  end loop;
  return true;
exception when lock_not_available then
  return false;
end
$$;

-- Deletes the oldest messages of each sender that keeps more than so many bytes here, at most so many messages;
-- says of whom and how many. The first of a day raises an alert.
create function state.delete_excess_messages(most_bytes bigint, at_most integer)
  returns table (sender text, messages bigint) language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
begin
  if pg_total_relation_size('state.rejected_replies') + pg_total_relation_size('state.dead_letters') < most_bytes then
    return;
  end if;
  for sender, messages in
    with replies as (
      delete from state.rejected_replies
       where id in (select id
                      from (select id, sum(pg_column_size(kept.*) + 100) over
                                         (partition by kept.sender order by id desc) as newer
                              from state.rejected_replies as kept) as sized
                     where newer > most_bytes
                     order by id
                     limit at_most)
      returning coalesce(rejected_replies.sender, 'unknown') as who
    ),
    letters as (
      delete from state.dead_letters
       where id in (select id
                      from (select id, sum(pg_column_size(kept.*) + 100) over
                                         (partition by kept.sender order by id desc) as newer
                              from state.dead_letters as kept) as sized
                     where newer > most_bytes
                     order by id
                     limit at_most)
      returning coalesce(dead_letters.sender, 'unknown') as who
    )
    select who, count(*)
      from (select who from replies union all select who from letters) as dropped
     group by who
  loop
    if not exists (select from state.alerts
                    where kind = 'message.dropped'
                      and at > clock_timestamp() - interval '1 day'
                      and starts_with(detail, sender || ' has ')) then
      perform state.raise_alert('message.dropped', 'store.full_of_messages',
        format('%s has more than %s of refused or unreadable messages: the oldest are deleted', sender,
               pg_size_pretty(most_bytes)));
    end if;
    return next;
  end loop;
end
$$;


-- Functions: submission by applications

-- The name with its version that a task gets: that version, or the newest that is not retired.
create function state.name_of_workflow(asked text) returns text language plpgsql stable
  security definer set search_path = pg_catalog, pg_temp as $$
declare
  newest record;
begin
  select name, retired_at is not null as is_retired into newest
    from state.workflows
   where name = asked
      or (asked !~ '\.v[1-9][0-9]{0,5}$' and starts_with(name, asked || '.v')
          and substring(name from length(asked) + 3) ~ '^[1-9][0-9]{0,5}$')
   order by (retired_at is not null), substring(name from '[0-9]+$')::integer desc
   limit 1;
  if newest.name is null then
    raise exception 'workflow.unknown: no workflow % is stored', asked using errcode = 'HF404';
  elsif newest.is_retired then
    raise exception 'workflow.retired: the workflow % takes no new tasks', asked using errcode = 'HF410';
  end if;
  return newest.name;
end
$$;

-- What an application needs to check an input before it submits: the schema stands in the definition.
create function state.workflow_to_submit(workflow text, out name text, out definition json)
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select workflows.name, workflows.definition
    from state.workflows
   where workflows.name = state.name_of_workflow(workflow)
$$;

-- What is wrong with what an application submits; null: nothing. What it cannot see is whether the input is
-- what the workflow's schema says.
create function state.submission_fault(input jsonb, priority text, idempotency_key text, reply_to text,
                                       correlation_id text, fairness_key text, fairness_weight numeric)
  returns text language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case
    when input is null then 'the input is missing: of a workflow without one it is the JSON null'
    when octet_length(input::text) > 262144 then 'the input is longer than 262144 bytes'
    when jsonb_path_exists(input, 'strict $.**{32 to last} ? (@.type() == "object" || @.type() == "array")')
      then 'the input is deeper than 32 levels'
    when jsonb_path_exists(input, 'strict $.** ? (@.type() == "number").abs() ? (@ > 9007199254740991)')
      then 'the input has a number too large to be exact: write it as a text'
    when priority is null or priority not in ('urgent', 'normal', 'batch')
      then 'the priority must be urgent, normal or batch'
    when fairness_key !~ '^[^\x01-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]{1,100}$'
      then 'the fairness key must be 1 to 100 characters without control characters'
    when fairness_weight not between 1 and 1000 or fairness_weight <> trunc(fairness_weight)
      then 'the fairness weight must be a whole number from 1 to 1000'
    when fairness_weight is not null and fairness_key is null
      then 'the fairness weight is of no use without a fairness key'
    when idempotency_key !~ '^[\x21-\x7e]{1,255}$' then 'the idempotency key must be 1 to 255 visible ASCII characters'
    when reply_to !~ '^status\.[A-Za-z0-9_.-]{1,200}$' then 'reply_to names your own queue: status. and up to 200 letters, digits, dots, dashes'
    when correlation_id !~ '^[\x21-\x7e]{1,255}$' then 'the correlation id must be 1 to 255 visible ASCII characters'
  end
$$;

-- What is wrong with how an application names its task, and with when it is to begin; null: nothing.
create function state.naming_fault(business_key text, labels jsonb, not_before timestamptz)
  returns text language sql stable set search_path = pg_catalog, pg_temp as $$
  select case
    when business_key !~ '^[\x21-\x7e]{1,255}$' then 'the key must be 1 to 255 visible ASCII characters'
    when jsonb_typeof(labels) <> 'object' then 'the labels must be an object of texts'
    when (select count(*) from jsonb_object_keys(labels)) > 16 then 'there may be 16 labels'
    when exists (select from jsonb_each(labels) as label (name, value)
                  where name !~ '^[A-Za-z0-9][A-Za-z0-9_./-]{0,62}$'
                     or jsonb_typeof(value) <> 'string'
                     or value #>> '{}' !~ '^[^\x01-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]{1,200}$')
      then 'a label has a name of up to 63 letters, digits and _ . / -, and a text of 1 to 200 characters without control characters'
    when not_before > clock_timestamp() + interval '366 days' then 'not_before must be within 366 days'
    when not isfinite(not_before) then 'not_before must be an instant'
  end
$$;

-- What a pointer such as `/input/customer` finds in an input; null where there is nothing, or the JSON null.
create function state.at_pointer(input jsonb, pointer text) returns jsonb
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select nullif(jsonb_build_object('input', input)
                #> array(select replace(replace(part, '~1', '/'), '~0', '~')
                           from unnest(string_to_array(substring(pointer from 2), '/'))
                                with ordinality as path (part, place)
                          order by place), 'null')
$$;

-- What a step of a definition waits for: its Agent, or any of a pool.
create function state.lane_of(step json) returns text
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case when json_typeof(step -> 'agents') = 'array'
              then (select string_agg(agent, '+' order by place)
                      from json_array_elements_text(step -> 'agents') with ordinality as pool (agent, place))
              else step ->> 'agent' end
$$;

-- Submits a task in the caller's transaction: with its input, its steps and the first entry of its history. No
-- Scheduler is notified; one finds the steps at its next poll, within a second or so of the commit.
-- `publish_events` as EVENTS of the services: whether `holdfast.events` gets the statuses of the task.
create function state.submit_task(workflow text, input jsonb, idempotency_key text default null,
                                             priority text default 'normal', reply_to text default null,
                                             correlation_id text default null,
                                             keep_key_for interval default '24 hours',
                                             publish_events boolean default false,
                                             fairness_key text default null,
                                             fairness_weight numeric default null,
                                             business_key text default null,
                                             labels jsonb default null,
                                             not_before timestamptz default null,
                                             out task_id uuid, out replayed boolean)
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  fault      text;
  fair_key   text    := fairness_key;
  weight     numeric := fairness_weight;
  stored     record;
  pointers   json;
  found_at   jsonb;
  earlier    record;
  new_id     uuid;
  hash       text;
  -- The services count in milliseconds.
  now_ms     constant bigint := floor(extract(epoch from clock_timestamp()) * 1000);
  now        constant timestamptz := to_timestamp(now_ms / 1000.0);
  due_at     constant timestamptz := greatest(now, not_before);
  named      constant jsonb := nullif(labels, '{}');
  received   json;
begin
  select workflow_to_submit.name, workflow_to_submit.definition into stored
    from state.workflow_to_submit(submit_task.workflow);
  -- What the submission says comes before what the workflow says.
  pointers := stored.definition -> 'fairness';
  if fair_key is null and pointers ->> 'key' is not null then
    found_at := state.at_pointer(input, pointers ->> 'key');
    if jsonb_typeof(found_at) not in ('string', 'number')
       or (jsonb_typeof(found_at) = 'number' and found_at #>> '{}' !~ '^-?[0-9]{1,16}$') then
      fault := format('%s must be a text or a whole number, because it is the fairness key', pointers ->> 'key');
    end if;
    fair_key := found_at #>> '{}';
  end if;
  if fault is null and weight is null and fair_key is not null and pointers ->> 'weight' is not null then
    found_at := state.at_pointer(input, pointers ->> 'weight');
    if jsonb_typeof(found_at) <> 'number' then
      fault := format('%s must be a whole number from 1 to 1000, because it is the fairness weight',
                      pointers ->> 'weight');
    else
      weight := (found_at #>> '{}')::numeric;
    end if;
  end if;
  fault := coalesce(fault, state.submission_fault(input, priority, idempotency_key, reply_to, correlation_id,
                                                  fair_key, weight),
                    state.naming_fault(submit_task.business_key, submit_task.labels, submit_task.not_before),
                    case when keep_key_for is null or keep_key_for not between '0' and '366 days'
                         then 'the idempotency key is kept for at most 366 days' end);
  if fault is not null then
    raise exception 'task.invalid: %', fault using errcode = 'HF422';
  end if;
  if exists (select from json_array_elements(stored.definition -> 'steps') as step
              where json_array_length(step -> 'after') = 0 and json_typeof(step -> 'onlyIf') = 'object') then
    raise exception 'workflow.first_step_conditional: the first step of % has a condition, which only the submission service can decide: submit over HTTP or by message',
      stored.name using errcode = 'HF422';
  end if;

  -- At the turn of a month, should no Supervisor have run.
  if not exists (select from state.partitions where month = state.month_of(now)) then
    perform state.make_partitions();
  end if;
  new_id := state.new_task_id();

  if idempotency_key is not null then
    -- The version may change between two calls with the same key, what was asked for does not.
    hash := encode(sha256(convert_to(submit_task.workflow || ' ' || submit_task.input::text, 'UTF8')), 'hex');
    insert into state.submissions as taken (tenant, idempotency_key, request_hash, task_id, expires_at)
    values ('default', submit_task.idempotency_key, hash, new_id, statement_timestamp() + keep_key_for)
        on conflict (tenant, idempotency_key) do update
       set request_hash = excluded.request_hash,
           task_id      = excluded.task_id,
           expires_at   = excluded.expires_at
     where taken.expires_at <= state.trusted_now();
    if not found then
      select submissions.task_id, submissions.request_hash into earlier
        from state.submissions
       where tenant = 'default' and submissions.idempotency_key = submit_task.idempotency_key;
      if earlier.request_hash is distinct from hash then
        raise exception 'request.idempotency_key_reused: the key % was used for another task',
          submit_task.idempotency_key using errcode = 'HF409';
      end if;
      submit_task.task_id  := earlier.task_id;
      submit_task.replayed := true;
      return;
    end if;
  end if;

  if submit_task.business_key is not null then
    -- As insert-business-keys.sql: a holder that this statement does not see may have been written meanwhile.
    insert into state.business_keys as taken (tenant, family, key, task_id)
    values ('default', regexp_replace(stored.name, '\.v[1-9][0-9]{0,5}$', ''), submit_task.business_key, new_id)
        on conflict (tenant, family, key) do update set task_id = excluded.task_id
     where exists (select from state.tasks where tasks.task_id = taken.task_id and finished_at is not null)
        or (taken.task_id < state.first_id_of(state.trusted_now() - interval '1 day')
            and not exists (select from state.partitions
                             where taken.task_id >= state.first_id_of(month) and taken.task_id < end_id)
            and not exists (select from state.tasks where tasks.task_id = taken.task_id));
    if not found then
      select business_keys.task_id into earlier
        from state.business_keys
       where tenant = 'default' and family = regexp_replace(stored.name, '\.v[1-9][0-9]{0,5}$', '')
         and key = submit_task.business_key;
      raise exception 'task.key_in_use: the open task % has the key %', earlier.task_id, submit_task.business_key
        using errcode = 'HF409', detail = earlier.task_id;
    end if;
  end if;

  insert into state.tasks (task_id, workflow, priority, fairness_key, fairness_weight, reply_to, correlation_id,
                           business_key, labels, begin_at, complete_by)
  values (new_id, stored.name, submit_task.priority, fair_key, case when fair_key is not null then coalesce(weight, 1) end,
          submit_task.reply_to, submit_task.correlation_id, submit_task.business_key, named,
          case when due_at > now then due_at end,
          due_at + (stored.definition ->> 'completeWithin')::float8 * interval '1 millisecond');
  insert into state.task_labels (name, value, task_id)
  select label.key, label.value, new_id from jsonb_each_text(named) as label;
  insert into state.task_payloads (task_id, input) values (new_id, submit_task.input::text::json);
  insert into state.events (task_id, action, to_state, actor) values (new_id, 'submit', 'pending', session_user);
  -- A Scheduler ranks the steps of a key when it finds them: ranking them here would lock the key until the caller's
  -- transaction ends.
  insert into state.steps (task_id, name, kind, lane, band, process_state, rank, not_before, admitted, start_within,
                           complete_within, extend_up_to)
  select new_id, step ->> 'name', 'call', state.lane_of(step),
         array_position(array['undo', 'urgent', 'normal', 'batch'], submit_task.priority) - 1,
         case when is_first then 'pending' else 'waiting' end,
         case when is_first and fair_key is null and due_at <= now then now end,
         case when is_first then due_at end,
         json_typeof(step -> 'onlyIf') is distinct from 'object',
         (step ->> 'startWithin')::integer, (step ->> 'completeWithin')::integer, (step ->> 'extendUpTo')::integer
    from json_array_elements(stored.definition -> 'steps') as step
   cross join lateral (select json_array_length(step -> 'after') = 0 as is_first) as place;

  received := json_build_object(
    'taskId', new_id, 'correlationId', submit_task.correlation_id, 'sequence', 1, 'event', 'received',
    'workflow', stored.name, 'state', 'pending', 'steps', json_build_array(), 'faultCode', null,
    'at', to_char(now at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
  insert into state.outbox (subject, channel, seq, address, correlation_id, body)
  select new_id, channel, 1, address, submit_task.correlation_id, received
    from (values ('status', submit_task.reply_to, submit_task.reply_to is not null),
                 ('event', null, publish_events)) as notification (channel, address, is_wanted)
   where is_wanted;
  submit_task.task_id  := new_id;
  submit_task.replayed := false;
end
$$;


-- Views: for people

-- The pattern's own record, one row for each unfinished step. Its columns stay as they are when the tables change.
create view state.order_process as
select task_id       as "OrderID",
       name          as "Step",
       locked_by     as "LockedBy",
       complete_by   as "CompleteBy",
       case process_state
         when 'waiting'   then 'Pending'
         when 'pending'   then 'Pending'
         when 'processing' then 'Processing'
         when 'processed' then 'Processed'
         when 'error'     then 'Error'
         else initcap(process_state)
       end           as "ProcessState",
       failure_count as "FailureCount"
  from state.steps;

-- The steps of stored workflows, as their authors wrote them down. A definition may be anything: what is no
-- step is left out.
create view state.step_definitions as
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
 where workflows.format = 1
   and step ->> 'agent' ~ '^[a-z][a-z0-9-]{0,62}$';

-- What must never be: always empty, whatever crashed. Read by people, by tests and by `holdfast verify`. Each
-- part can be asked about some tasks only, so that a store at work is looked through in short statements: a
-- condition on task_id reaches the indexes.
create view state.invariant_violations as
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
     -- A claim skips a locked task: the transaction that holds the lock summarises it.
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
    where e.task_id = t.task_id and e.step is null and e.to_state = 'error'
      and e.from_state is distinct from 'error') as halted
 cross join lateral (
   select count(*) as times from state.alerts a
    where a.task_id = t.task_id and a.kind = 'task.halted') as raised
 where halted.times <> raised.times;


-- Grants

revoke execute on function
  state.make_partition(date), state.make_partitions(), state.make_sound(text), state.seem_full(date),
  state.trusted_now(), state.raise_alert(text, text, text), state.look_at_clock(),
  state.delete_finished_tasks(date, interval, integer), state.must_stay(date, interval),
  state.drop_month(date, interval), state.delete_excess_messages(bigint, integer),
  state.name_of_workflow(text), state.workflow_to_submit(text),
  state.submission_fault(jsonb, text, text, text, text, text, numeric), state.at_pointer(jsonb, text), state.lane_of(json),
  state.submit_task(text, jsonb, text, text, text, text, interval, boolean, text, numeric,
                    text, jsonb, timestamptz),
  state.naming_fault(text, jsonb, timestamptz)
  from public;

grant usage on schema state
   to holdfast_submission, holdfast_operations, holdfast_scheduler, holdfast_supervisor,
      holdfast_application, holdfast_observer;

-- What all services read, and the alerts and notifications that each change of a task may cause.
grant select on state.compatibility, state.workflows, state.pauses, state.agents, state.alerts, state.remotes,
                state.busy_months
   to holdfast_submission, holdfast_operations, holdfast_scheduler, holdfast_supervisor;
grant insert on state.alerts, state.outbox
   to holdfast_submission, holdfast_operations, holdfast_scheduler, holdfast_supervisor;
grant execute on function state.trusted_now()
   to holdfast_submission, holdfast_operations, holdfast_scheduler, holdfast_supervisor;
grant select on state.breakers to holdfast_submission, holdfast_operations, holdfast_scheduler;
-- Who makes a step due ranks it.
grant select, insert, update on state.fairness_keys
   to holdfast_submission, holdfast_operations, holdfast_scheduler, holdfast_supervisor;

-- Submission
grant select, insert on state.tasks, state.task_payloads, state.steps, state.events, state.task_labels
   to holdfast_submission;
-- Steps with a fairness key are ranked once they are written.
grant update (rank) on state.steps to holdfast_submission;
grant select, insert, update on state.submissions, state.business_keys, state.collections, state.remotes
   to holdfast_submission;
grant insert on state.workflows to holdfast_submission;
grant select on state.step_payloads, state.known_agents, state.partitions, state.order_process,
                state.invariant_violations
   to holdfast_submission;
grant execute on function state.make_partitions() to holdfast_submission;

-- Operations
grant select on state.tasks, state.task_payloads, state.steps, state.step_payloads, state.events,
                state.known_agents, state.partitions, state.order_process, state.task_labels
   to holdfast_operations;
-- The columns that a decision changes. Whose task it is, its workflow, a step's limits, and the attempt's
-- number stay as they are. A step of a pool may have to wait for one of its Agents from now on.
grant update (goal, process_state, fault_code, version, updated_at, finished_at, complete_by,
              paused_at, paused_by, pause_reason)
   on state.tasks to holdfast_operations;
grant update (process_state, lane, rank, not_before, failure_count, requeue_count, cool_downs, key_generation,
              admitted, may_have_effect, fault_code, locked_by, start_by, complete_by, token, dispatched_at,
              started_at, heartbeat_at, progress, relay_at)
   on state.steps to holdfast_operations;
-- An undo adds its steps; what is decided is in the history.
grant insert on state.steps, state.events, state.workflows to holdfast_operations;
grant insert, update on state.step_payloads, state.pauses to holdfast_operations;
grant insert, update on state.breakers to holdfast_operations;
grant select, insert, update on state.collections, state.remotes to holdfast_operations;
grant update (retired_at, retired_by, retired_reason) on state.workflows to holdfast_operations;
grant execute on function state.make_partitions() to holdfast_operations;

-- Scheduler
grant select, update on state.tasks to holdfast_scheduler;
grant select, insert, update on state.steps, state.step_payloads to holdfast_scheduler;
grant select on state.task_payloads to holdfast_scheduler;
grant select, insert on state.events, state.known_agents to holdfast_scheduler;
grant update on state.alerts to holdfast_scheduler;
grant select, update, delete on state.outbox to holdfast_scheduler;
grant insert, update, delete on state.agents to holdfast_scheduler;
grant insert, update on state.breakers to holdfast_scheduler;
grant execute on function state.raise_alert(text, text, text) to holdfast_scheduler;
grant select, insert, update, delete on state.standstills to holdfast_scheduler;
grant insert on state.rejected_replies, state.dead_letters to holdfast_scheduler;
grant select (id, queue, reason, at) on state.dead_letters to holdfast_scheduler;
grant select, insert, update on state.dead_letter_alerts to holdfast_scheduler;
-- The service that reads an unusable definition pauses its workflow; the Scheduler resumes it.
grant insert, update on state.pauses to holdfast_scheduler;

-- Supervisor
grant select, update on state.tasks to holdfast_supervisor;
grant select, insert, update on state.steps to holdfast_supervisor;
grant select, insert on state.events to holdfast_supervisor;
grant select on state.partitions to holdfast_supervisor;
grant insert on state.pauses to holdfast_supervisor;
grant delete on state.alerts, state.pauses, state.fairness_keys to holdfast_supervisor;
-- The updates are for the lock on what is deleted.
grant select, update (expires_at), delete on state.submissions to holdfast_supervisor;
grant select, update (task_id), delete on state.business_keys to holdfast_supervisor;
grant select, update on state.business_key_sweep to holdfast_supervisor;
grant select (id, at), delete on state.rejected_replies, state.dead_letters to holdfast_supervisor;
grant execute on function
  state.make_partitions(), state.look_at_clock(),
  state.delete_finished_tasks(date, interval, integer), state.must_stay(date, interval),
  state.drop_month(date, interval), state.delete_excess_messages(bigint, integer)
   to holdfast_supervisor;

-- Applications
grant execute on function state.workflow_to_submit(text),
  state.submit_task(text, jsonb, text, text, text, text, interval, boolean, text, numeric,
                    text, jsonb, timestamptz) to holdfast_application;

-- Observers
grant select on all tables in schema state to holdfast_observer;
-- The views of definitions call it with the rights of their reader.
grant execute on function state.lane_of(json) to holdfast_observer, holdfast_submission;
alter default privileges in schema state grant select on tables to holdfast_observer;


-- The first month

-- It also has everything before it. Later ones are made as time goes on: the runner of migrations makes the
-- next, and a Supervisor the one after each.
do $$
declare
  month constant date := state.month_of(clock_timestamp());
  parent text;
  part   text;
begin
  foreach parent in array state.partitioned_tables() loop
    execute format('create table %s (like %s including all excluding identity) with %s',
                   state.partition_of(parent, month), parent, state.storage_of(parent));
  end loop;
  perform state.seem_full(month);
  foreach parent in array state.partitioned_tables() loop
    part := state.partition_of(parent, month);
    execute format('alter table %s attach partition %s for values from (minvalue) to (%L)', parent, part,
                   state.first_id_of(state.month_after(month)));
    if parent in ('state.tasks', 'state.steps') then
      perform state.make_sound(part);
    end if;
  end loop;
end
$$;
