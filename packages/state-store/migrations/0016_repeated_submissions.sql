-- A repetition under its idempotency key is answered with its task before its workflow is looked for: see decision 0160.

-- As `workflow_to_submit`; no row where a new task is refused: `enqueue_submission` says why, unless it knows the key.
create function state.find_workflow_to_submit(workflow text, out name text, out definition json)
  returns setof record language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return query select found.name, found.definition
                 from state.workflow_to_submit(find_workflow_to_submit.workflow) as found
                where found.name is not null;
exception
  when sqlstate 'HF404' or sqlstate 'HF410' then return;
end
$$;
revoke execute on function state.find_workflow_to_submit(text) from public;
grant execute on function state.find_workflow_to_submit(text) to holdfast_application;

-- Enqueues a submission in the caller's transaction, and returns the id of its task: that of the earlier task, if its
-- idempotency key stands for one, whatever has become of its workflow. What it asks for is checked when the task is made.
-- Of others two things are checked here: the workflow exists, and the business key is free, which is taken from now on.
-- Enqueued again under its id, nothing changes.
create or replace function state.enqueue_submission(submission jsonb, task_id uuid default state.new_task_id(),
                                         keep_key_for interval default '24 hours')
  returns uuid language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  new_id  constant uuid    := enqueue_submission.task_id;
  asked   constant text    := enqueue_submission.submission ->> 'workflow';
  size    constant integer := octet_length(enqueue_submission.submission::text);
  -- Longer ones are refused when the task is made, and are not for an index.
  request constant text    := nullif(left(enqueue_submission.submission ->> 'idempotencyKey', 300), '');
  called  constant text    := nullif(left(enqueue_submission.submission ->> 'key', 300), '');
  version text;
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

  -- Of a repetition people see what it asked for.
  version := case when earlier is null then state.name_of_workflow(asked) else coalesce(asked, '') end;
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

update state.compatibility set schema_version = greatest(schema_version, 23);
