-- The public words: a task is `undoing`, `undone` or `halted`, and what undoes is an `undo`: see decision 0167. Services of
-- earlier releases read and write the words of before, so none may run meanwhile.

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
update state.compatibility set oldest_reader = greatest(oldest_reader, 24);

create or replace function state.is_sound(task state.tasks) returns boolean language plpgsql as $$
declare
  violated constant text := case
    when task.goal not in ('do', 'undo') then 'known_goal'
    when task.process_state not in
      ('pending', 'processing', 'processed', 'halted', 'undoing', 'undone') then 'known_state'
    when (task.process_state in ('processed', 'undone')) <> (task.finished_at is not null)
      then 'finished_exactly_at_the_end'
    when task.process_state in ('undoing', 'undone') and task.goal <> 'undo'
      then 'undone_only_when_asked'
    when task.priority not in ('urgent', 'normal', 'batch') then 'known_priority'
    when (task.fairness_key is null) <> (task.fairness_weight is null)
      or task.fairness_key = ''
      or task.fairness_weight not between 1 and 1000 then 'weight_exactly_with_a_key'
    when (task.paused_at is null) <> (task.paused_by is null) then 'paused_by_somebody'
    when task.labels is not null and jsonb_typeof(task.labels) <> 'object' then 'labels_are_a_map'
  end;
begin
  return violated is null or state.refuse_row('tasks', violated, format('task %s', task.task_id));
end
$$;

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
      or in_hand <> (step.relay_at is not null) then 'locked_exactly_while_processing'
    when due <> (step.not_before is not null) then 'due_exactly_while_pending'
    when step.rank is not null and not due then 'ranked_only_while_pending'
    when step.band not between 0 and 3 then 'known_band'
    when step.dispatched_at is not null and not in_hand then 'marked_only_while_processing'
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

create or replace function state.renamed(state text) returns text language sql immutable as $$
  select case state when 'error' then 'halted' when 'compensating' then 'undoing' when 'compensated' then 'undone'
                    else state end
$$;

-- Month by month: what is converted already is left out, should it have to begin again.
create or replace procedure state.fill_public_words() language plpgsql as $$
declare
  part record;
begin
  for part in select first_id, end_id from state.partitions order by month loop
    update state.tasks
       set process_state = state.renamed(process_state),
           fault_code    = case fault_code when 'operator.undo' then 'operator.cancel' else fault_code end
     where task_id >= part.first_id and task_id < part.end_id
       and (process_state in ('error', 'compensating', 'compensated') or fault_code = 'operator.undo');
    update state.steps
       set kind = 'undo'
     where task_id >= part.first_id and task_id < part.end_id
       and kind = 'compensation';
    -- The states of steps have their names still.
    update state.events
       set from_state = case when step is null then state.renamed(from_state) else from_state end,
           to_state   = case when step is null then state.renamed(to_state) else to_state end,
           reason     = case reason when 'operator.undo' then 'operator.cancel' else reason end
     where task_id >= part.first_id and task_id < part.end_id
       and ((step is null and (from_state in ('error', 'compensating', 'compensated')
                               or to_state in ('error', 'compensating', 'compensated')))
            or reason = 'operator.undo');
    commit;
  end loop;
end
$$;

-- phase: locks state.tasks
-- It knows the moves by the words of before. The runner makes it again.
drop trigger if exists guard_task on state.tasks;

-- phase: apart
call state.fill_public_words();

-- phase: locks state.workflows, state.statistics, state.statistics_progress, state.bulk_operations
alter table state.statistics rename column undone to undone_steps;
alter table state.statistics rename column compensated to undone;
alter table state.statistics_progress rename column compensating to undoing;
alter table state.statistics_progress rename column error to halted;

-- What a step, its undo or one of its fault codes says of failures. Values keep their order and their text.
create function state.renamed_policy(policy json) returns json language plpgsql as $$
begin
  if json_typeof(policy) is distinct from 'object' then
    return policy;
  end if;
  return (select json_object_agg(key, case
                   when key = 'onFailure' and value #>> '{}' = 'compensate' then '"undo"'::json
                   when key = 'undo' then state.renamed_policy(value)
                   when key = 'faults' and json_typeof(value) = 'array'
                     then (select coalesce(json_agg(state.renamed_policy(fault) order by number), '[]')
                             from json_array_elements(value) with ordinality as fault (fault, number))
                   else value end order by place)
            from json_each(policy) with ordinality as field (key, value, place));
end
$$;
-- A workflow that is stored again is compared with the definition, since it has another hash now.
update state.workflows
   set definition = (select json_object_agg(key, case
                              when key = 'steps'
                                then (select coalesce(json_agg(state.renamed_policy(step) order by number), '[]')
                                        from json_array_elements(value) with ordinality as step (step, number))
                              else value end order by place)
                       from json_each(definition) with ordinality as field (key, value, place))
 where format = 1
   and definition::text like '%"compensate"%'
   and json_typeof(definition) = 'object'
   and json_typeof(definition -> 'steps') = 'array';
drop function state.renamed_policy(json);

-- Cancelling is the one verb.
alter table state.bulk_operations drop constraint known_action;
update state.bulk_operations
   set action = case action when 'undo' then 'cancel' else action end,
       filter = (select coalesce(json_object_agg(key, case key
                          when 'state' then replace(replace(replace(value::text, '"error"', '"halted"'),
                                                            '"compensating"', '"undoing"'),
                                                    '"compensated"', '"undone"')::json
                          else value end order by place), '{}')
                   from json_each(filter) with ordinality as field (key, value, place))
 where action = 'undo'
    or filter -> 'state' is not null;
alter table state.bulk_operations
  add constraint known_action check (action in ('resubmit', 'cancel', 'pause', 'resume', 'resolve', 'retryNow'));
update state.bulk_items
   set code = case code when 'operator.undo'        then 'operator.cancel'
                        when 'task.task_finished'   then 'task.finished'
                        when 'task.task_paused'     then 'task.is_paused'
                        when 'task.unusable_task'   then 'task.not_usable' end
 where code in ('operator.undo', 'task.task_finished', 'task.task_paused', 'task.unusable_task');

-- Failures are alike by workflow, step, code and message, as `fingerprintOf` hashes them.
with known as (
  delete from state.failure_groups where fault_code = 'operator.undo' returning *
),
renamed as (
  select *, left(encode(sha256(convert_to('[' || to_json(workflow) || ',' || to_json(step) || ',"operator.cancel",'
                                          || to_json(message) || ']', 'UTF8')), 'hex'), 16) as print
    from known
),
moved as (
  update state.failures set fingerprint = renamed.print from renamed where failures.fingerprint = renamed.fingerprint
)
insert into state.failure_groups as kept (fingerprint, workflow, step, fault_code, message, failures, first_at, last_at)
select print, workflow, step, 'operator.cancel', message, failures, first_at, last_at from renamed
    on conflict (fingerprint) do update
   set failures = kept.failures + excluded.failures,
       first_at = least(kept.first_at, excluded.first_at),
       last_at  = greatest(kept.last_at, excluded.last_at);

-- Messages that are to be sent yet.
update state.outbox
   set body = (select json_object_agg(key, case
                        when key in ('event', 'state') then to_json(state.renamed(value #>> '{}'))
                        when key in ('faultCode', 'code') and value #>> '{}' = 'operator.undo'
                          then '"operator.cancel"'::json
                        else value end order by place)
                 from json_each(body) with ordinality as field (key, value, place))
 where body ->> 'state' in ('error', 'compensating', 'compensated')
    or body ->> 'faultCode' = 'operator.undo'
    or body ->> 'code' = 'operator.undo';
update state.alerts set code = 'operator.cancel' where code = 'operator.undo';

create or replace view state.invariant_violations as
with summed as (
  select t.task_id, t.goal, t.process_state, t.paused_at is not null as paused,
         count(s.name)                                                                 as steps,
         count(*) filter (where s.process_state = 'error')                             as in_error,
         count(*) filter (where s.process_state = 'error' and s.kind = 'undo')         as undo_in_error,
         count(*) filter (where s.process_state in ('processed', 'skipped'))           as done,
         count(*) filter (where s.process_state in ('waiting', 'pending', 'processing')) as open,
         count(*) filter (where s.process_state in ('pending', 'processing', 'error')) as moving,
         count(*) filter (where s.attempt > 0)                                         as attempted
    from state.tasks t
    left join state.steps s on s.task_id = t.task_id
   group by t.task_id
),
chained as (
  select task_id, step, from_state,
         lag(to_state) over (partition by task_id, step order by id) as before
    from state.events
   where step is not null
),
-- Taken apart once, and not for every step that is looked at.
defined as materialized (
  select workflow, step, after, has_undo from state.step_definitions
)
select rule.invariant, task_id, rule.witness
  from summed
 cross join lateral (values
   ('every task has steps', null::text, steps = 0),
   ('the state of a task follows from its steps', process_state,
     process_state <> case
       when goal = 'do' and in_error > 0  then 'halted'
       when goal = 'do' and done = steps  then 'processed'
       when goal = 'do' and attempted > 0 then 'processing'
       when goal = 'do'                   then 'pending'
       when undo_in_error > 0             then 'halted'
       when open = 0                      then 'undone'
       else 'undoing'
     end
     -- A claim skips a locked task: the transaction that holds the lock summarises it.
     and not (goal = 'do' and process_state = 'pending' and attempted > 0 and in_error = 0 and done < steps)),
   ('an unfinished task has something to wait for', process_state,
     process_state not in ('processed', 'undone') and moving = 0 and not paused),
   ('nothing is left to do in a finished task', process_state,
     process_state in ('processed', 'undone') and open > 0)
 ) as rule (invariant, witness, broken)
 where rule.broken
union all
select 'every step belongs to a task', s.task_id, s.name
  from state.steps s
 where not exists (select from state.tasks t where t.task_id = s.task_id)
union all
select 'nothing more is begun of a paused task', s.task_id, s.name
  from state.steps s
  join state.tasks t on t.task_id = s.task_id
 where t.paused_at is not null and s.process_state = 'pending'
union all
select 'only what is to be undone has undos', s.task_id, s.name
  from state.steps s
  join state.tasks t on t.task_id = s.task_id
 where s.kind = 'undo' and t.goal = 'do'
union all
select 'no undo meets its own do', undo.task_id, undo.name
  from state.steps undo
  join state.steps call on call.task_id = undo.task_id and undo.name = call.name || ':undo'
 where undo.kind = 'undo' and undo.attempt > 0
   and call.process_state in ('waiting', 'pending', 'processing')
union all
select 'what an undone task did is undone', s.task_id, s.name
  from state.steps s
  join state.tasks t on t.task_id = s.task_id
 where t.process_state = 'undone' and s.kind = 'undo'
   and s.process_state not in ('processed', 'skipped')
union all
select 'what may have had an effect has its undo', s.task_id, s.name
  from state.steps s
  join state.tasks t on t.task_id = s.task_id
  join defined d on d.workflow = t.workflow and d.step = s.name
 where t.goal = 'undo' and s.kind = 'call' and d.has_undo
   and (s.may_have_effect or s.process_state in ('processing', 'processed'))
   and not exists (select from state.steps undo
                    where undo.task_id = s.task_id and undo.name = s.name || ':undo')
union all
select 'nothing is begun before what it waits for', s.task_id, s.name || ' before ' || earlier.name
  from state.steps s
  join state.tasks t on t.task_id = s.task_id
  join defined d on d.workflow = t.workflow and d.step = s.name
 cross join lateral json_array_elements_text(d.after) as earlier (name)
  join state.steps before on before.task_id = s.task_id and before.name = earlier.name
 where s.attempt > 0 and before.process_state not in ('processed', 'skipped')
union all
select 'an attempt is claimed once', task_id, step || ' ' || attempt
  from state.events
 where action = 'claim'
 group by task_id, step, attempt
having count(*) > 1
union all
select 'an attempt ends once', task_id, step || ' ' || attempt
  from state.events
 where step is not null and from_state = 'processing'
 group by task_id, step, attempt
having count(*) > 1
union all
select 'the history of a step is unbroken', task_id, step || ': ' || before || ' then ' || from_state
  from chained
 where before is not null and before <> from_state
union all
select 'the history of a step ends where it stands', s.task_id,
       s.name || ': ' || latest.to_state || ', now ' || s.process_state
  from state.steps s
 cross join lateral (select to_state from state.events e
                      where e.task_id = s.task_id and e.step = s.name
                      order by e.id desc limit 1) as latest
 where latest.to_state <> s.process_state
union all
select 'every claim is in the history', s.task_id, s.name
  from state.steps s
 where s.attempt <> (select count(*) from state.events e
                      where e.task_id = s.task_id and e.step = s.name and e.action = 'claim')
union all
select 'at most one open task has a business key', t.task_id, t.business_key
  from state.tasks t
 where t.business_key is not null
   and t.finished_at is null
   and exists (select from state.tasks other
                where other.business_key = t.business_key
                  and other.task_id <> t.task_id
                  and other.tenant = t.tenant
                  and other.finished_at is null
                  and regexp_replace(other.workflow, '\.v[1-9][0-9]{0,5}$', '')
                      = regexp_replace(t.workflow, '\.v[1-9][0-9]{0,5}$', ''))
union all
select 'every halt raises one alert', t.task_id, 'halted ' || halted.times || ', alerts ' || raised.times
  from state.tasks t
 cross join lateral (
   select count(*) as times from state.events e
    where e.task_id = t.task_id and e.step is null and e.to_state = 'halted'
      and e.from_state is distinct from 'halted') as halted
 cross join lateral (
   select count(*) as times from state.alerts a
    where a.task_id = t.task_id and a.kind = 'task.halted') as raised
 where halted.times <> raised.times;

drop procedure state.fill_public_words();
drop function state.renamed(text);

update state.compatibility set schema_version = greatest(schema_version, 24);
