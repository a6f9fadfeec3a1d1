-- The state store: what is to be done, by whom, until when, and what became of it.
create schema if not exists state;

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

create table state.workflows (
  name         text        primary key,
  content_hash text        not null,
  format       smallint    not null,
  definition   json        not null,
  created_at   timestamptz not null default clock_timestamp()
);

create table state.submissions (
  tenant          text        not null,
  idempotency_key text        not null,
  request_hash    text        not null,
  task_id         uuid        not null,
  expires_at      timestamptz not null,

  primary key (tenant, idempotency_key)
);

create table state.tasks (
  task_id        uuid        primary key,
  tenant         text        not null default 'default',
  workflow       text        not null,
  goal           text        not null default 'do',
  process_state  text        not null default 'pending',
  version        integer     not null default 1,
  priority       smallint    not null default 0,
  fault_code     text,
  complete_by    timestamptz,
  reply_to       text,
  correlation_id text,
  parent_task_id uuid,
  parent_step    text,
  format         smallint    not null default 1,
  created_at     timestamptz not null default clock_timestamp(),
  updated_at     timestamptz not null default clock_timestamp(),
  finished_at    timestamptz,

  constraint known_goal check (goal in ('do', 'undo')),
  constraint known_state check (process_state in
    ('pending', 'processing', 'processed', 'error', 'compensating', 'compensated')),
  constraint finished_exactly_at_the_end check
    ((process_state in ('processed', 'compensated')) = (finished_at is not null)),
  constraint undone_only_when_asked check
    (process_state not in ('compensating', 'compensated') or goal = 'undo'),
  constraint priority_is_a_head_start check (priority between 0 and 9)
);

-- The sweep looks for tasks that nobody has touched for long; a limit on the whole task is rare.
create index tasks_unfinished on state.tasks (updated_at) where finished_at is null;
create index tasks_limited on state.tasks (complete_by)
  where complete_by is not null and finished_at is null;

create table state.task_payloads (
  task_id uuid primary key,
  input   json not null
);

create table state.steps (
  task_id         uuid        not null,
  name            text        not null,
  kind            text        not null,
  -- What is claimed, limited and paused as one: the Agent.
  lane            text        not null,
  process_state   text        not null,
  -- Due time less the head start of the priority; null while the step may not be taken.
  rank            timestamptz,
  not_before      timestamptz,
  locked_by       text,
  start_by        timestamptz,
  complete_by     timestamptz,
  token           uuid,
  dispatched_at   timestamptz,
  -- From then on any Scheduler may publish the request again, should nobody have marked it.
  relay_at        timestamptz,
  attempt         integer     not null default 0,
  failure_count   integer     not null default 0,
  put_back_count  integer     not null default 0,
  cool_downs      integer     not null default 0,
  key_generation  integer     not null default 0,
  admitted        boolean     not null,
  may_have_effect boolean     not null default false,
  fault_code      text,
  start_within    integer     not null,
  complete_within integer     not null,
  format          smallint    not null default 1,

  primary key (task_id, name),

  constraint known_kind check (kind in
    ('call', 'compensation', 'timer', 'signal', 'approval', 'map', 'child')),
  constraint known_state check (process_state in
    ('waiting', 'pending', 'processing', 'processed', 'error', 'skipped', 'cancelled')),
  constraint locked_exactly_while_processing check (
    (process_state = 'processing') = (locked_by is not null) and
    (process_state = 'processing') = (start_by is not null) and
    (process_state = 'processing') = (complete_by is not null) and
    (process_state = 'processing') = (token is not null) and
    (process_state = 'processing') = (relay_at is not null)),
  constraint due_exactly_while_pending check ((process_state = 'pending') = (not_before is not null)),
  constraint ranked_only_while_pending check (rank is null or process_state = 'pending'),
  constraint marked_only_while_processing check
    (dispatched_at is null or process_state = 'processing'),
  constraint fault_in_error check (process_state <> 'error' or fault_code is not null),
  constraint counters_are_possible check
    (attempt >= 0 and failure_count between 0 and attempt and put_back_count >= 0 and cool_downs >= 0)
) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500);

create index steps_due        on state.steps (lane, rank)   where process_state = 'pending' and rank is not null;
create index steps_resting    on state.steps (not_before)   where process_state = 'pending' and rank is null;
create index steps_expiring   on state.steps (complete_by)  where process_state = 'processing';
create index steps_in_flight  on state.steps (lane)         where process_state = 'processing';

-- Written once, read at dispatch: kept out of the rows that change with every move.
create table state.step_payloads (
  task_id      uuid not null,
  name         text not null,
  -- Only when an operator corrected it; otherwise it follows from the definition.
  input        json,
  output       json,
  fault_detail text,

  primary key (task_id, name)
);

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

  primary key (task_id, id)
);

create table state.rejected_replies (
  id      bigint      generated always as identity primary key,
  task_id uuid,
  step    text,
  attempt integer,
  reason  text        not null,
  sender  text,
  reply   json        not null,
  at      timestamptz not null default clock_timestamp()
);
create index rejected_replies_task on state.rejected_replies (task_id);

create table state.dead_letters (
  id         bigint      generated always as identity primary key,
  queue      text        not null,
  reason     text        not null,
  message_id text,
  type       text,
  sender     text,
  body       bytea       not null,
  at         timestamptz not null default clock_timestamp()
);

-- A service refuses to run on a store that it does not know.
create table state.compatibility (
  singleton      boolean  primary key default true check (singleton),
  schema_version integer  not null,
  oldest_reader  integer  not null
);
insert into state.compatibility (schema_version, oldest_reader) values (1, 1);

-- Whoever writes says how many rows it means to change. Another number is a bug, and nothing is saved.
create function state.expect_rows(changed bigint, intended bigint) returns void language plpgsql as $$
begin
  if changed <> intended then
    raise exception 'changed % rows where % were intended', changed, intended using errcode = 'HF002';
  end if;
end
$$;
