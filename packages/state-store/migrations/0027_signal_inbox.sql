-- Applications send signals in their own transactions; the submission service hands them to their tasks, by the rules of
-- the other ways in: see decision 0199.

-- phase: online
create table state.signal_inbox (
  number         bigint      generated always as identity primary key,
  task_id        uuid        not null,
  name           text        not null,
  signal_id      text        not null,
  payload        jsonb       not null,
  bytes          integer     not null,
  -- The queue of its sender for a refusal; null: it named none.
  reply_to       text,
  correlation_id text,
  submitter      text        not null default session_user,
  -- The name that the application gave its connection, for people.
  application    text        default nullif(current_setting('application_name'), ''),
  -- Who sent it by message, where its task waited in the inbox; null: it came in a transaction.
  sent_by        text,
  enqueued_at    timestamptz not null default clock_timestamp(),
  -- Until then a process hands it to its task.
  leased_until   timestamptz,
  claims         smallint    not null default 0,

  constraint signal_is_bounded check (bytes <= 262144)
) with (autovacuum_vacuum_scale_factor = 0.05);

-- Callers take turns.
create index signal_inbox_by_submitter on state.signal_inbox (submitter, number);

-- Signals of the inbox that no task got, and why. The Supervisor deletes old ones.
create table state.signal_refusals (
  number    bigint      primary key,
  task_id   uuid        not null,
  submitter text        not null,
  name      text        not null,
  signal_id text        not null,
  code      text        not null,
  detail    text        not null,
  errors    jsonb       not null,
  at        timestamptz not null default clock_timestamp()
);
create index signal_refusals_by_submitter on state.signal_refusals (submitter, at);

-- What an application reads: what was refused of its own.
create view state.refused_signals with (security_barrier) as
select task_id, name, signal_id, code, detail, errors, at
  from state.signal_refusals
 where submitter = session_user;

-- Wakes one process of submission when the transaction commits: see `wake_inbox`.
create function state.notify_inbox() returns void language sql set search_path = pg_catalog, pg_temp as $$
  select pg_notify(inbox_channel, '')
    from (select inbox_channel
            from state.instances
           where inbox_channel is not null
           order by seen_at desc
           limit 1) as last
   where current_setting('holdfast.notify', true) is distinct from 'off';
$$;
revoke execute on function state.notify_inbox() from public;

-- As in 0015.
create or replace function state.wake_inbox() returns void language sql set search_path = pg_catalog, pg_temp as $$
  select state.notify_inbox()
   where (select leased_until is null from state.inbox where leased_until is null order by task_id desc limit 1) is null;
$$;

-- As `wake_inbox`. A signal whose task waits in the inbox itself waits for that, and is nothing that a process looks at.
create function state.wake_signal_inbox() returns void language sql set search_path = pg_catalog, pg_temp as $$
  select state.notify_inbox()
   where (select exists (select from state.inbox where inbox.task_id = last.task_id)
            from (select task_id from state.signal_inbox where leased_until is null order by number desc limit 1) as last)
         is distinct from false;
$$;
revoke execute on function state.wake_signal_inbox() from public;

-- Sends a signal in the caller's transaction: its task gets it within a second or so of the commit. The same id again is
-- the same signal. What it carries is checked then. Two things are checked here: there is the task, which may have been
-- submitted in this very transaction, and the signal has a name, an id and a payload of a size that is kept.
create function state.signal_task(task_id uuid, name text, payload jsonb, signal_id text, reply_to text default null,
                                  correlation_id text default null)
  returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  size constant integer := octet_length(signal_task.payload::text);
begin
  if signal_task.payload is null or size > 262144 then
    raise exception 'signal.invalid: a signal has a payload of at most 262144 bytes' using errcode = 'HF422';
  elsif coalesce(length(signal_task.name), 0) not between 1 and 300
     or coalesce(length(signal_task.signal_id), 0) not between 1 and 300 then
    raise exception 'signal.invalid: a signal has a name and an id of at most 300 characters' using errcode = 'HF422';
  elsif not exists (select from state.inbox where inbox.task_id = signal_task.task_id)
    and not exists (select from state.tasks where tasks.task_id = signal_task.task_id) then
    raise exception 'task.unknown: there is no task %', signal_task.task_id using errcode = 'HF404';
  end if;
  perform state.wake_signal_inbox();
  insert into state.signal_inbox (task_id, name, signal_id, payload, bytes, reply_to, correlation_id)
  values (signal_task.task_id, signal_task.name, signal_task.signal_id, signal_task.payload, size,
          left(signal_task.reply_to, 300), left(signal_task.correlation_id, 300));
end
$$;

revoke execute on function state.signal_task(uuid, text, jsonb, text, text, text) from public;
grant execute on function state.signal_task(uuid, text, jsonb, text, text, text) to holdfast_application;
grant select on state.refused_signals to holdfast_application;

grant select, insert, update, delete on state.signal_inbox to holdfast_submission;
grant select (number), insert on state.signal_refusals to holdfast_submission;
grant select on state.signal_inbox, state.signal_refusals to holdfast_observer;
grant select on state.signal_refusals to holdfast_operations;
-- What metrics say of the inbox.
grant select (number, enqueued_at) on state.signal_inbox to holdfast_scheduler;
grant select (number, at), delete on state.signal_refusals to holdfast_supervisor;

update state.compatibility set schema_version = greatest(schema_version, 33);
