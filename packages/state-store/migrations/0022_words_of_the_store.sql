-- The words of the store are those of the code: a request is confirmed and resent, a consumer is stalled. Services of
-- earlier releases read and write the names of before, so none may run meanwhile.

-- phase: online
-- As if their locks were in the way: the runner tries again until they are stopped.
do $$
declare
  running constant text := (select string_agg(service || ' ' || instance, ', ' order by service, instance)
                              from state.instances
                             where seen_at > clock_timestamp() - interval '20 seconds');
begin
  if running is not null then
    raise exception 'stop all services first: seen in the last 20 seconds were %', running
      using errcode = 'lock_not_available';
  end if;
end
$$;

-- phase: locks state.steps, state.standstills, state.dead_letter_actions
alter table state.steps rename column relay_at to resend_at;
alter table state.steps rename column relayed to resent;
alter table state.steps rename column dispatched_at to confirmed_at;
alter table state.standstills rename to stalled_consumers;
alter table state.dead_letter_actions rename column letter_id to dead_letter_id;
alter function state.look_at_clock() rename to read_clock;

create or replace function state.is_sound(step state.steps) returns boolean language plpgsql as $$
declare
  in_hand  constant boolean := step.process_state = 'processing';
  due      constant boolean := step.process_state = 'pending';
  violated constant text    := case
    when step.kind not in ('call', 'undo', 'timer', 'signal', 'approval', 'map', 'child')
      then 'known_kind'
    when step.process_state not in
      ('waiting', 'pending', 'processing', 'processed', 'error', 'skipped', 'cancelled')
      then 'known_state'
    when in_hand <> (step.locked_by is not null)
      or in_hand <> (step.start_by is not null)
      or in_hand <> (step.complete_by is not null)
      or in_hand <> (step.token is not null)
      or in_hand <> (step.resend_at is not null) then 'locked_exactly_while_processing'
    when due <> (step.not_before is not null) then 'due_exactly_while_pending'
    when step.rank is not null and not due then 'ranked_only_while_pending'
    when step.band not between 0 and 3 then 'known_band'
    when step.confirmed_at is not null and not in_hand then 'confirmed_only_while_processing'
    when (step.started_at is not null or step.heartbeat_at is not null or step.progress is not null) and not in_hand
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

update state.compatibility
   set schema_version = greatest(schema_version, 29), oldest_reader = greatest(oldest_reader, 29);
