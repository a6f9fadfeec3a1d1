-- Of the next unfinished tasks, in the order of their ids, those that have not changed for a while
-- and that have nothing to wait for, or a step that is delayed for more than an hour: `decide`
-- knows whether its policy allows that. And after which task to go on: null, these were the last. A
-- few at a time: with a million tasks open, all of them would take longer than a statement may.
--
-- A halted task waits for a person, a paused one for its operator, and steps of a paused workflow
-- are set aside until it is resumed. A failed call of a task that is being undone is not waited
-- for.
with unfinished as materialized (
  select task_id, workflow, process_state, paused_at, updated_at, begin_at
    from state.tasks
   where finished_at is null
     and task_id > :after::uuid
   order by task_id
   limit 500
)
select (select coalesce(json_agg(task_id), '[]')
          from unfinished
         where process_state <> 'halted'
           and paused_at is null
           -- What was changed in the time to come was changed before the clock was set back.
           and updated_at not between statement_timestamp() - :untouched_for::float8 * interval '1 millisecond'
                                  and statement_timestamp() + interval '1 minute'
           and workflow not in (select name from state.pauses
                                 where kind = 'workflow' and released_at is null)
           and (select count(*) filter (where process_state in ('processing', 'awaiting')
                                           or process_state = 'pending'
                                              and (not_before <= statement_timestamp() + interval '1 hour'
                                                   or not_before = begin_at and attempt = 0)) = 0
                    -- A task that was submitted to begin later waits for that.
                    or count(*) filter (where process_state = 'pending'
                                          and not_before > statement_timestamp() + interval '1 hour'
                                          and (attempt > 0 or not_before is distinct from begin_at)) > 0
                  from state.steps
                 where steps.task_id = unfinished.task_id))      as task_ids,
       (select task_id from unfinished offset 499)               as next;
