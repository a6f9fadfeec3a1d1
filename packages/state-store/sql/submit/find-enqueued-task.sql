-- What became of a submission that was enqueued under this id: it waits, or it was refused.
select inbox.submission::text as submission, inbox.bytes, inbox.workflow, inbox.enqueued_at, inbox.trace_context,
       refusals.code, refusals.detail
  from (select :task_id::uuid as task_id) as asked
  left join state.inbox using (task_id)
  left join state.refusals using (task_id)
 where inbox.task_id is not null
    or refusals.task_id is not null;
