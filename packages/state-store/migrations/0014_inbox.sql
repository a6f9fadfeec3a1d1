-- Applications enqueue submissions in their own transactions; the submission service makes tasks of them, by the rules of
-- the other ways in: see decision 0160.

create table state.inbox (
  task_id       uuid        primary key,
  submission    jsonb       not null,
  bytes         integer     not null,
  -- The version that its workflow's name meant when it came: for people, decides nothing.
  workflow      text        not null,
  -- The task that its idempotency key stood for: it is compared with that, and makes no task of its own.
  replay_of     uuid,
  submitter     text        not null default session_user,
  trace_context text
    default substring(current_setting('holdfast.traceparent', true) from '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'),
  enqueued_at   timestamptz not null default clock_timestamp(),
  -- Until then a process makes its task.
  leased_until  timestamptz,

  constraint submission_is_bounded check (bytes <= 1048576)
) with (autovacuum_vacuum_scale_factor = 0.05);

-- Submissions of the inbox that became no task, and why. The Supervisor deletes old ones.
create table state.refusals (
  task_id         uuid        primary key,
  submitter       text        not null,
  idempotency_key text,
  correlation_id  text,
  code            text        not null,
  detail          text        not null,
  errors          jsonb       not null,
  at              timestamptz not null default clock_timestamp()
);
create index refusals_by_submitter on state.refusals (submitter, at);

-- What an application reads: what was refused of its own.
create view state.refused_submissions with (security_barrier) as
select task_id, idempotency_key, correlation_id, code, detail, errors, at
  from state.refusals
 where submitter = session_user;

-- Enqueues a submission in the caller's transaction, and returns the id of its task: that of the earlier task, if its
-- idempotency key stands for one. What it asks for is checked when the task is made. Two things are checked here: its
-- workflow exists, and its business key is free, which is taken from now on. Enqueued again under its id, nothing changes.
create function state.enqueue_submission(submission jsonb, task_id uuid default state.new_task_id(),
                                         keep_key_for interval default '24 hours')
  returns uuid language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  new_id  constant uuid    := enqueue_submission.task_id;
  version constant text    := state.name_of_workflow(enqueue_submission.submission ->> 'workflow');
  size    constant integer := octet_length(enqueue_submission.submission::text);
  -- Longer ones are refused when the task is made, and are not for an index.
  request constant text    := nullif(left(enqueue_submission.submission ->> 'idempotencyKey', 300), '');
  called  constant text    := nullif(left(enqueue_submission.submission ->> 'key', 300), '');
  earlier uuid;
begin
  if new_id is null or new_id not between state.first_id_of(clock_timestamp() - interval '1 day')
                                      and state.first_id_of(clock_timestamp() + interval '1 day') then
    raise exception 'task.invalid: the id of a task is one that state.new_task_id() made today' using errcode = 'HF422';
  elsif size > 1048576 then
    raise exception 'task.invalid: the submission is longer than 1048576 bytes' using errcode = 'HF422';
  elsif keep_key_for is null or keep_key_for not between '0' and '366 days' then
    raise exception 'task.invalid: the idempotency key is kept for at most 366 days' using errcode = 'HF422';
  elsif exists (select from state.inbox where inbox.task_id = new_id)
     or exists (select from state.tasks where tasks.task_id = new_id) then
    return new_id;
  end if;

  if request is not null then
    -- The hash of what was asked follows with the task.
    insert into state.submissions as taken (tenant, idempotency_key, request_hash, task_id, expires_at)
    values ('default', request, 'enqueued', new_id, state.reached_now() + keep_key_for)
        on conflict (tenant, idempotency_key) do update
       set request_hash = excluded.request_hash,
           task_id      = excluded.task_id,
           expires_at   = excluded.expires_at
     where taken.expires_at <= state.trusted_now();
    if not found then
      select submissions.task_id into earlier
        from state.submissions
       where tenant = 'default' and idempotency_key = request;
    end if;
  end if;

  if called is not null and earlier is null then
    -- As insert-business-keys.sql: a holder that this statement does not see may wait in the inbox, or have been written
    -- meanwhile.
    insert into state.business_keys as taken (tenant, family, key, task_id)
    values ('default', state.family_of(version), called, new_id)
        on conflict (tenant, family, key) do update set task_id = excluded.task_id
     where exists (select from state.tasks where tasks.task_id = taken.task_id and finished_at is not null)
        or (taken.task_id < state.first_id_of(state.trusted_now() - interval '1 day')
            and not exists (select from state.partitions
                             where taken.task_id >= state.first_id_of(month) and taken.task_id < end_id)
            and not exists (select from state.tasks where tasks.task_id = taken.task_id));
    if not found then
      select business_keys.task_id into earlier
        from state.business_keys
       where tenant = 'default' and family = state.family_of(version) and key = called;
      raise exception 'task.key_in_use: the open task % has the key %', earlier, called
        using errcode = 'HF409', detail = earlier;
    end if;
  end if;

  insert into state.inbox (task_id, submission, bytes, workflow, replay_of)
  values (new_id, enqueue_submission.submission, size, version, earlier);
  return coalesce(earlier, new_id);
end
$$;

-- For applications that were written for the schema before: enqueues, and writes no task by itself. Whether events are
-- published is what EVENTS of the submission service says.
create or replace function state.submit_task(workflow text, input jsonb, idempotency_key text default null,
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
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  new_id constant uuid := state.new_task_id();
begin
  submit_task.task_id := state.enqueue_submission(jsonb_build_object(
    'workflow', workflow, 'input', input, 'idempotencyKey', idempotency_key, 'priority', priority,
    'replyTo', reply_to, 'correlationId', correlation_id, 'key', business_key, 'labels', labels,
    'notBefore', to_char(not_before at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'fairness', case when num_nonnulls(fairness_key, fairness_weight) > 0
                     then jsonb_strip_nulls(jsonb_build_object('key', fairness_key, 'weight', fairness_weight)) end),
    new_id, keep_key_for);
  submit_task.replayed := submit_task.task_id <> new_id;
end
$$;

drop function state.submission_fault(jsonb, text, text, text, text, text, numeric);
drop function state.naming_fault(text, jsonb, timestamptz);
drop function state.at_pointer(jsonb, text);

revoke execute on function state.enqueue_submission(jsonb, uuid, interval) from public;
grant execute on function state.enqueue_submission(jsonb, uuid, interval) to holdfast_application;
grant select on state.refused_submissions to holdfast_application;

grant select, update, delete on state.inbox to holdfast_submission;
grant select, insert on state.refusals to holdfast_submission;
grant delete on state.business_keys to holdfast_submission;
grant select on state.inbox, state.refusals to holdfast_operations, holdfast_observer;
grant select (task_id, at), delete on state.refusals to holdfast_supervisor;

update state.compatibility set schema_version = greatest(schema_version, 21);
