-- Each table that every order writes has one CHECK instead of many. Postgres reads the text of a CHECK anew
-- for each statement, which took longer than to write the row; the body of a function is compiled once in
-- a session. What is refused, and the name that it is refused with, stay what they were.

-- phase: locks state.tasks, state.steps

create function state.refuse_row(of_table text, violated text, of_row text) returns boolean
  language plpgsql as $$
begin
  raise check_violation using
    message    = format('row of %I violates check constraint %I', of_table, violated),
    detail     = of_row,
    schema     = 'state',
    table      = of_table,
    constraint = violated;
end
$$;

create function state.is_sound(task state.tasks) returns boolean language plpgsql as $$
declare
  violated constant text := case
    when task.goal not in ('do', 'undo') then 'known_goal'
    when task.process_state not in
      ('pending', 'processing', 'processed', 'error', 'compensating', 'compensated') then 'known_state'
    when (task.process_state in ('processed', 'compensated')) <> (task.finished_at is not null)
      then 'finished_exactly_at_the_end'
    when task.process_state in ('compensating', 'compensated') and task.goal <> 'undo'
      then 'undone_only_when_asked'
    when task.priority not between 0 and 9 then 'priority_is_a_head_start'
    when (task.paused_at is null) <> (task.paused_by is null) then 'paused_by_somebody'
  end;
begin
  return violated is null or state.refuse_row('tasks', violated, format('task %s', task.task_id));
end
$$;

create function state.is_sound(step state.steps) returns boolean language plpgsql as $$
declare
  in_hand  constant boolean := step.process_state = 'processing';
  due      constant boolean := step.process_state = 'pending';
  violated constant text    := case
    when step.kind not in ('call', 'compensation', 'timer', 'signal', 'approval', 'map', 'child')
      then 'known_kind'
    when step.process_state not in
      ('waiting', 'pending', 'processing', 'processed', 'error', 'skipped', 'cancelled')
      then 'known_state'
    when in_hand <> (step.locked_by is not null)
      or in_hand <> (step.start_by is not null)
      or in_hand <> (step.complete_by is not null)
      or in_hand <> (step.token is not null)
      or in_hand <> (step.relay_at is not null) then 'locked_exactly_while_processing'
    when due <> (step.not_before is not null) then 'due_exactly_while_pending'
    when step.rank is not null and not due then 'ranked_only_while_pending'
    when step.dispatched_at is not null and not in_hand then 'marked_only_while_processing'
    when step.process_state = 'error' and step.fault_code is null then 'fault_in_error'
    when step.attempt < 0 or step.failure_count not between 0 and step.attempt
      or step.put_back_count < 0 or step.cool_downs < 0 then 'counters_are_possible'
  end;
begin
  return violated is null
    or state.refuse_row('steps', violated, format('task %s, step %s', step.task_id, step.name));
end
$$;

-- Not valid, for the rows that are there have passed the same rules: nobody waits for a second look.
alter table state.tasks
  drop constraint known_goal,
  drop constraint known_state,
  drop constraint finished_exactly_at_the_end,
  drop constraint undone_only_when_asked,
  drop constraint priority_is_a_head_start,
  drop constraint paused_by_somebody,
  add constraint sound check (state.is_sound(tasks)) not valid,
  -- As often as steps, for they change as often.
  set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500);

alter table state.steps
  drop constraint known_kind,
  drop constraint known_state,
  drop constraint locked_exactly_while_processing,
  drop constraint due_exactly_while_pending,
  drop constraint ranked_only_while_pending,
  drop constraint marked_only_while_processing,
  drop constraint fault_in_error,
  drop constraint counters_are_possible,
  add constraint sound check (state.is_sound(steps)) not valid;
