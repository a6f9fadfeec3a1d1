-- Messages that nobody can read or record are kept, whatever is in them; and a consumer that fails says so
-- where an operator can see it.

-- What cannot be JSON to Postgres is kept as the bytes that came.
alter table state.rejected_replies
  add column body bytea,
  alter column reply drop not null,
  add constraint something_is_kept check (reply is not null or body is not null) not valid;

alter table state.dead_letters
  -- What was wrong, in words.
  add column detail text,
  -- Bytes of the message as it came, where only the first of them are kept.
  add column size integer;

-- How many messages an alert is about; null: one, or none.
alter table state.alerts add column messages integer;

-- When an alert was last raised for dead letters of a queue and reason, so that a flood raises one a minute.
create table state.dead_letter_alerts (
  queue     text        not null,
  reason    text        not null,
  raised_at timestamptz not null,
  -- How many letters that alert was about.
  told      integer     not null,
  -- How many have come since.
  untold    integer     not null default 0,

  primary key (queue, reason)
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

grant select, insert, update on state.dead_letter_alerts to holdfast_scheduler;
grant select, insert, update, delete on state.standstills to holdfast_scheduler;
