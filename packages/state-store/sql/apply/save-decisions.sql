-- Writes decided tasks and steps back, with their history. One row for each task and each step: an
-- update with two rows for one target would silently take one. Every locked field is cleared, for a
-- decision never leaves a step that it changed in processing. Fails unless each row was as it had
-- been read: by version, state and attempt, and by the token, since a failover that lost commits
-- can bring back the same numbers.
with task_change as (
  select *
    from unnest(:task_ids::uuid[], :versions::integer[], :goals::text[], :task_states::text[],
                :task_faults::text[], :finished::boolean[], :paused::boolean[])
      as change (task_id, version, goal, process_state, fault_code, finished, paused)
),
saved_tasks as (
  update state.tasks
     set goal          = task_change.goal,
         process_state = task_change.process_state,
         fault_code    = task_change.fault_code,
         version       = tasks.version + 1,
         updated_at    = clock_timestamp(),
         finished_at   = case when task_change.finished then clock_timestamp() end,
         -- The limit of a paused task stands still: resuming moves it by the length of the pause.
         complete_by   = case when task_change.paused then tasks.complete_by
                              else tasks.complete_by + coalesce(clock_timestamp() - tasks.paused_at, interval '0') end,
         paused_at     = case when task_change.paused then coalesce(tasks.paused_at, clock_timestamp()) end,
         paused_by     = case when task_change.paused then coalesce(tasks.paused_by, :actor) end,
         pause_reason  = case when task_change.paused then coalesce(tasks.pause_reason, :note) end
    from task_change
   where tasks.task_id = task_change.task_id
     and tasks.version = task_change.version
     and tasks.task_id between :first_id and :last_id
  returning tasks.task_id
),
step_change as (
  select *
    from unnest(:step_task_ids::uuid[], :names::text[], :from_states::text[], :attempts::integer[],
                :tokens::uuid[], :lanes::text[], :states::text[], :ranks::float8[], :not_befores::float8[], :failure_counts::integer[],
                :requeue_counts::integer[], :cool_downs::integer[], :key_generations::integer[],
                :admitted::boolean[], :may_have_effects::boolean[], :fault_codes::text[])
      as change (task_id, name, from_state, attempt, token, lane, process_state, rank, not_before, failure_count,
                 requeue_count, cool_downs, key_generation, admitted, may_have_effect, fault_code)
),
saved_steps as (
  update state.steps
     set process_state   = step_change.process_state,
         lane            = step_change.lane,
         rank            = to_timestamp(step_change.rank / 1000),
         not_before      = to_timestamp(step_change.not_before / 1000),
         failure_count   = step_change.failure_count,
         requeue_count   = step_change.requeue_count,
         cool_downs      = step_change.cool_downs,
         key_generation  = step_change.key_generation,
         admitted        = step_change.admitted,
         may_have_effect = step_change.may_have_effect,
         fault_code      = step_change.fault_code,
         locked_by       = null,
         start_by        = null,
         complete_by     = null,
         token           = null,
         confirmed_at   = null,
         started_at      = null,
         heartbeat_at    = null,
         progress        = null,
         resend_at        = null
    from step_change
   where steps.task_id       = step_change.task_id
     and steps.name          = step_change.name
     and steps.process_state = step_change.from_state
     and steps.attempt       = step_change.attempt
     and steps.token is not distinct from step_change.token
     and steps.task_id between :first_id and :last_id
  returning steps.task_id
),
history as (
  insert into state.events (task_id, step, action, from_state, to_state, attempt, actor, reason, note)
  select task_id, step, action, from_state, to_state, attempt, :actor, reason, :note
    from unnest(:event_task_ids::uuid[], :event_steps::text[], :event_actions::text[],
                :event_froms::text[], :event_tos::text[], :event_attempts::integer[],
                :event_reasons::text[])
      as event (task_id, step, action, from_state, to_state, attempt, reason)
)
select state.expect_rows((select count(*) from saved_tasks), cardinality(:task_ids::uuid[])) as saved_tasks,
       state.expect_rows((select count(*) from saved_steps), cardinality(:step_task_ids::uuid[])) as saved_steps;
