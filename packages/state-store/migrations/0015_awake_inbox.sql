-- A process of submission is woken when something is enqueued: see decision 0161.

-- Of a process that makes tasks of the inbox: what it LISTENs to; null: it looks once a second only.
alter table state.instances add column inbox_channel text;
-- Whether a process makes tasks of the inbox at all: one of an earlier release does, and does not say so.
alter table state.instances add column takes_enqueued boolean not null default false;
-- Whether a version that is not stored stands for the active one of its workflow there: `UNKNOWN_VERSIONS`.
alter table state.instances add column takes_unknown_versions boolean not null default false;
-- What metrics say of the inbox.
grant select (task_id, enqueued_at) on state.inbox to holdfast_scheduler;

-- The name that the application gave its connection, for people: it proves nothing, unlike `submitter`, its login.
alter table state.inbox add column application text;
alter table state.inbox alter column application set default nullif(current_setting('application_name'), '');

-- How often a process has taken it. One that was taken in vain before may be to blame, and is made alone.
alter table state.inbox add column claims smallint not null default 0;
-- Callers take turns.
create index inbox_by_submitter on state.inbox (submitter, task_id);

-- Wakes one process of submission when the transaction commits: that which announced itself last, so that they take turns
-- and none is gone. While something waits already, none is woken: the process that takes it looks again afterwards. So
-- commits seldom queue for the lock that NOTIFY holds until a commit is durable. A transaction that is to be prepared
-- cannot notify: it sets `holdfast.notify` to `off`.
create function state.wake_inbox() returns void language sql set search_path = pg_catalog, pg_temp as $$
  select pg_notify(inbox_channel, '')
    from (select inbox_channel
            from state.instances
           where inbox_channel is not null
           order by seen_at desc
           limit 1) as last
   where current_setting('holdfast.notify', true) is distinct from 'off'
     and (select leased_until is null from state.inbox where leased_until is null order by task_id desc limit 1) is null;
$$;
revoke execute on function state.wake_inbox() from public;

-- Whether a task has given up its business key: it has ended, or went with its month. A task that the asking statement does
-- not see counts as open as long as its month is there, it may have been submitted today, or its submission waits in the
-- inbox: another transaction may just have written it. It has no settings of its own, so that only a key that is in use
-- costs the call.
create function state.has_freed_key(holder uuid) returns boolean language sql stable as $$
  select exists (select from state.tasks where tasks.task_id = holder and finished_at is not null)
      or (holder < state.first_id_of(state.trusted_now() - interval '1 day')
          and not exists (select from state.partitions where holder >= state.first_id_of(month) and holder < end_id)
          and not exists (select from state.tasks where tasks.task_id = holder)
          and not exists (select from state.inbox where inbox.task_id = holder));
$$;
revoke execute on function state.has_freed_key(uuid) from public;
grant execute on function state.has_freed_key(uuid) to holdfast_submission;
-- What waits in the inbox keeps its business key when others are swept.
grant select (task_id) on state.inbox to holdfast_supervisor;

-- As in 0011. Of a version that is not stored says the process that announced itself last what it takes it for, and all
-- ways in take it for the same.
create or replace function state.name_of_workflow(asked text) returns text language plpgsql stable
  security definer set search_path = pg_catalog, pg_temp as $$
declare
  family constant text := state.family_of(asked);
  found record;
begin
  select name, retired_at is not null as is_retired into found
    from state.workflows
   where name = asked
      or (state.family_of(name) = asked and is_active)
   order by name = asked desc
   limit 1;
  if found.name is null and not exists (select from state.workflows where state.family_of(name) = asked) then
    if family <> asked and (select takes_unknown_versions
                              from state.instances
                             where takes_enqueued
                             order by seen_at desc
                             limit 1) then
      return state.name_of_workflow(family);
    end if;
    raise exception 'workflow.unknown: no workflow % is stored', asked using errcode = 'HF404';
  elsif found.name is null or found.is_retired then
    raise exception 'workflow.retired: the workflow % takes no new tasks', asked using errcode = 'HF410';
  end if;
  return found.name;
end
$$;

-- Enqueues a submission in the caller's transaction, and returns the id of its task: that of the earlier task, if its
-- idempotency key stands for one. What it asks for is checked when the task is made. Two things are checked here: its
-- workflow exists, and its business key is free, which is taken from now on. Enqueued again under its id, nothing changes.
create or replace function state.enqueue_submission(submission jsonb, task_id uuid default state.new_task_id(),
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
     or exists (select from state.refusals where refusals.task_id = new_id)
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
    insert into state.business_keys as taken (tenant, family, key, task_id)
    values ('default', state.family_of(version), called, new_id)
        on conflict (tenant, family, key) do update set task_id = excluded.task_id
     where taken.task_id = excluded.task_id
        or state.has_freed_key(taken.task_id);
    if not found then
      select business_keys.task_id into earlier
        from state.business_keys
       where tenant = 'default' and family = state.family_of(version) and key = called;
      raise exception 'task.key_in_use: the open task % has the key %', earlier, called
        using errcode = 'HF409', detail = earlier;
    end if;
  end if;

  perform state.wake_inbox();
  insert into state.inbox (task_id, submission, bytes, workflow, replay_of)
  values (new_id, enqueue_submission.submission, size, version, earlier)
      on conflict (task_id) do nothing;
  return coalesce(earlier, new_id);
end
$$;


update state.compatibility set schema_version = greatest(schema_version, 22);
