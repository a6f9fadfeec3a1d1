-- What is known of these ids: a task, a submission that waits in the inbox, or one that was
-- refused. An id of which nothing is known has no row.
select asked.task_id, coalesce(task.workflow, inbox.workflow) as workflow,
       case when task.task_id is not null then task.process_state
            when inbox.task_id is not null then 'enqueued'
            else 'refused' end as state,
       refusal.code as fault_code
  from unnest(:task_ids::uuid[]) as asked (task_id)
  left join state.tasks as task using (task_id)
  left join state.inbox as inbox using (task_id)
  left join state.refusals as refusal using (task_id)
 where task.task_id is not null
    or inbox.task_id is not null
    or refusal.task_id is not null;
