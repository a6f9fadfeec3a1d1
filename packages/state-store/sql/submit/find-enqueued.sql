-- Submissions that wait in the inbox.
select task_id, submission::text as submission, workflow
  from state.inbox
 where task_id = any(:task_ids::uuid[]);
