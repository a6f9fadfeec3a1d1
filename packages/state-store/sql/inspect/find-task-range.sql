-- How many of the next tasks after one there are, at most :size, and which is the last of them.
select count(*)::integer as tasks, (array_agg(task_id order by task_id desc))[1] as upto
  from (select task_id
          from state.tasks
         where task_id > :after
         order by task_id
         limit :size) as next;
