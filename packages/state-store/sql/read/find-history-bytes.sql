-- The workflow of a task, and how many bytes its history has.
select tasks.workflow,
       (select coalesce(sum(200 + octet_length(actor) + coalesce(octet_length(step), 0) + coalesce(octet_length(reason), 0)
                            + coalesce(octet_length(note), 0)), 0)
          from state.events
         where events.task_id = tasks.task_id) as bytes
  from state.tasks
 where tasks.task_id = :task_id
   and tasks.tenant  = :tenant;
