-- Sets tasks aside that cannot be decided about, without knowing their definitions. Attempts that
-- are over are requeued, so that they take no place of other tasks' steps; whether they had an
-- effect is unknown. A call of a task that is being undone is cancelled instead, as a decision
-- would do. A task that is affected by itself is paused by itself: none of its steps may stay
-- claimable. The caller has locked the tasks.
with task as (
  select unusable.task_id, unusable.reason, unusable.alone, tasks.goal
    from unnest(:task_ids::uuid[], :reasons::text[], :alone::boolean[]) as unusable (task_id, reason, alone)
    join state.tasks on tasks.task_id = unusable.task_id
                    and tasks.task_id between :first_id and :last_id
                    and tasks.finished_at is null
),
picked as (
  select steps.task_id, steps.name, steps.process_state as from_state, steps.attempt,
         case when steps.process_state = 'pending' then 'waiting'
              when (task.goal = 'undo') <> (steps.kind = 'undo') then 'cancelled'
              when task.alone then 'waiting'
              else 'pending' end as to_state
    from task
    join state.steps on steps.task_id = task.task_id
                    and steps.task_id between :first_id and :last_id
   where (steps.process_state = 'pending' and task.alone)
      or (steps.process_state = 'processing'
          and exists (select from unnest(:step_task_ids::uuid[], :names::text[], :attempts::integer[], :tokens::text[])
                                    as attempt (task_id, name, number, token)
                       where attempt.task_id = steps.task_id
                         and attempt.name = steps.name
                         and attempt.number = steps.attempt
                         and attempt.token = steps.token::text))
),
moved as (
  update state.steps
     set process_state   = picked.to_state,
         not_before      = case when picked.to_state = 'pending' then 'infinity'::timestamptz end,
         may_have_effect = steps.may_have_effect or picked.from_state = 'processing',
         rank            = null,
         locked_by       = null,
         start_by        = null,
         complete_by     = null,
         token           = null,
         confirmed_at   = null,
         started_at      = null,
         heartbeat_at    = null,
         progress        = null,
         resend_at        = null
    from picked
   where steps.task_id = picked.task_id
     and steps.name    = picked.name
     and steps.task_id between :first_id and :last_id
  returning steps.task_id, steps.name, picked.from_state, picked.to_state, picked.attempt
),
saved as (
  update state.tasks
     set version      = version + 1,
         updated_at   = clock_timestamp(),
         paused_at    = case when task.alone then coalesce(tasks.paused_at, clock_timestamp()) else tasks.paused_at end,
         paused_by    = case when task.alone then coalesce(tasks.paused_by, :actor) else tasks.paused_by end,
         pause_reason = case when task.alone then coalesce(tasks.pause_reason, task.reason) else tasks.pause_reason end
    from task
   where tasks.task_id = task.task_id
     and tasks.task_id between :first_id and :last_id
     and ((task.alone and tasks.paused_at is null) or task.task_id in (select task_id from moved))
)
insert into state.events (task_id, step, action, from_state, to_state, attempt, actor, reason)
select task_id, name,
       case when to_state = 'cancelled' then 'cancel' when from_state = 'pending' then 'hold' else 'requeue' end,
       from_state, to_state, attempt, :actor, 'task.unusable'
  from moved;
