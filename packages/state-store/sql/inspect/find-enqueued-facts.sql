-- What became of a submission that was enqueued under this id: for how long it has waited (ms), or
-- why it was refused.
select coalesce(inbox.submitter, refusals.submitter) as submitter, inbox.workflow,
       (extract(epoch from clock_timestamp() - inbox.enqueued_at) * 1000)::float8 as waiting_for,
       refusals.code, refusals.detail
  from (select :task_id::uuid as task_id) as asked
  left join state.inbox using (task_id)
  left join state.refusals using (task_id)
 where inbox.task_id is not null
    or refusals.task_id is not null;
