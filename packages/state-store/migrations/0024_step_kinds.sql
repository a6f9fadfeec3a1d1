-- The kinds of steps stand in the domain alone. Each run of the migrations makes this function anew of its table, as
-- it makes the guards: a further kind needs no migration.

-- phase: online
create function state.step_kinds() returns text[] immutable language sql as $$ select array['call', 'undo'] $$;

create or replace function state.is_sound(step state.steps) returns boolean language plpgsql as $$
declare
  claimed  constant boolean := step.process_state = 'processing';
  due      constant boolean := step.process_state = 'pending';
  violated constant text    := case
    when step.kind <> all (state.step_kinds()) then 'known_kind'
    when step.process_state not in
      ('waiting', 'pending', 'processing', 'processed', 'error', 'skipped', 'cancelled')
      then 'known_state'
    when claimed <> (step.locked_by is not null)
      or claimed <> (step.start_by is not null)
      or claimed <> (step.complete_by is not null)
      or claimed <> (step.token is not null)
      or claimed <> (step.resend_at is not null) then 'locked_exactly_while_processing'
    when due <> (step.not_before is not null) then 'due_exactly_while_pending'
    when step.rank is not null and not due then 'ranked_only_while_pending'
    when step.band not between 0 and 3 then 'known_band'
    when step.confirmed_at is not null and not claimed then 'confirmed_only_while_processing'
    when (step.started_at is not null or step.heartbeat_at is not null or step.progress is not null) and not claimed
      then 'signs_only_while_processing'
    when step.extend_up_to < step.complete_within then 'extended_no_less_than_its_time'
    when step.process_state = 'error' and step.fault_code is null then 'fault_in_error'
    when step.attempt < 0 or step.failure_count not between 0 and step.attempt
      or step.requeue_count < 0 or step.cool_downs < 0 then 'counters_are_possible'
  end;
begin
  return violated is null
    or state.refuse_row('steps', violated, format('task %s, step %s', step.task_id, step.name));
end
$$;
