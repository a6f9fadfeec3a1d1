-- What must never be, should it be, of the tasks after one up to another. A reply to a task that is
-- not there shows that the store has lost tasks: it was restored, or failed over to a standby that
-- had not received them.
select invariant, task_id, witness
  from (select invariant, task_id, witness
          from state.invariant_violations
        union all
        select distinct 'every reply belongs to a task', task_id, step
          from state.rejected_replies as replies
         where reason = 'unknown_task'
           and not exists (select from state.tasks where tasks.task_id = replies.task_id)) as found
 where task_id > :after
   and task_id <= :upto
 order by invariant, task_id
 limit :batch;
