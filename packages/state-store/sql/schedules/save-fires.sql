-- Writes down what became of instants, each once, and puts the tasks of those that fired into the
-- inbox. An instant that was buffered fires, or is skipped, later, and a person may have one fire
-- that was missed or skipped. What was dealt with otherwise stands, and submits nothing.
with asked as materialized (
  select schedule, to_timestamp(instant / 1000) as instant, outcome, submission,
         case when outcome = 'fired' then state.new_task_id() end as task_id
    from unnest(:schedules::text[], :instants::float8[], :outcomes::text[], :submissions::jsonb[])
      as fire (schedule, instant, outcome, submission)
),
saved as (
  insert into state.schedule_fires as known (schedule, instant, outcome, task_id, actor, reason)
  select schedule, instant, outcome, task_id, :actor, :reason
    from asked
   order by schedule, instant
      on conflict (schedule, instant) do update
     set outcome = excluded.outcome,
         task_id = excluded.task_id,
         actor   = excluded.actor,
         reason  = excluded.reason,
         at      = clock_timestamp()
   where known.outcome = 'buffered'
      or known.outcome <> 'fired' and excluded.actor is not null
  returning schedule, instant, outcome, task_id, at
),
woken as materialized (
  select count(state.wake_inbox()::text) as processes
    from (select from saved where task_id is not null limit 1) as any_fired
),
enqueued as (
  insert into state.inbox (task_id, submission, bytes, workflow, submitter, application)
  select saved.task_id, submission, octet_length(submission::text), submission ->> 'workflow', 'schedule:' || saved.schedule,
         null
    from saved
    join asked on asked.task_id = saved.task_id
   where (select processes from woken) >= 0
  returning task_id
),
told as (
  insert into state.outbox (subject, channel, seq, body)
  select 'schedule:' || saved.schedule, 'event', 1,
         json_build_object('event', 'schedule.' || saved.outcome, 'schedule', saved.schedule,
                           'workflow', asked.submission ->> 'workflow', 'instant', saved.instant, 'taskId', saved.task_id,
                           'at', saved.at)
    from saved
    join asked on asked.schedule = saved.schedule and asked.instant = saved.instant
   where :events::boolean and saved.outcome <> 'buffered'
   order by saved.schedule, saved.instant
)
select schedule, (extract(epoch from instant) * 1000)::float8 as instant, outcome, task_id
  from saved;
