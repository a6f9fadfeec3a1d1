-- `tasks` and `steps` by month as well, so that all of the past is dropped and none deleted. Whoever looks
-- for what is due names the months in which there is something (`state.busy_months`), so that the plan has
-- no others.

-- phase: online
select state.make_partitions();

-- phase: apart
-- Whether a task of a month that is over was finished long after it had begun: few are. Only these may have
-- to be kept for longer than their month.
drop index concurrently if exists state.tasks_slow;
create index concurrently tasks_slow on state.tasks (finished_at) where finished_at - created_at > interval '1 day';

-- phase: locks state.tasks, state.steps
-- Says in advance what the first partition has, so that nobody reads it while it is attached. It ends with the
-- first month that lasts for another day: orders of a later one are refused until the last phase has run.
do $$
declare
  parent text;
  first  record;
begin
  select partitions.month, partitions.end_id into first
    from state.partitions
   where partitions.end_id > greatest(state.first_id_of(clock_timestamp() + interval '1 day'),
                                      (select task_id from state.tasks order by task_id desc limit 1))
   order by partitions.month
   limit 1;
  foreach parent in array array['state.tasks', 'state.steps'] loop
    execute format('alter table %s drop constraint if exists first_partition', parent);
    execute format('alter table %s add constraint first_partition
                      check (task_id is not null and task_id < %L) not valid', parent, first.end_id);
    execute format('comment on constraint first_partition on %s is %L', parent, first.month);
  end loop;
end
$$;

-- phase: online
alter table state.tasks validate constraint first_partition;
alter table state.steps validate constraint first_partition;

-- phase: locks state.tasks, state.steps
create or replace function state.partitioned_tables() returns text[] language sql immutable as $$
  -- Locked in this order, which is that of those who work.
  select array['state.tasks', 'state.steps', 'state.task_payloads', 'state.step_payloads', 'state.events',
               'orders.orders', 'orders.order_lines']
$$;

-- How a partition is stored: those that change with every move are kept loose, and cleaned up often.
create function state.storage_of(parent text) returns text language sql immutable as $$
  select case parent
    when 'state.tasks' then '(fillfactor = 60, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500)'
    when 'state.steps' then '(fillfactor = 85, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500)'
    else '(fillfactor = 100)'
  end
$$;

-- What is there already becomes one part, up to the end of this month: nothing is copied.
do $$
declare
  month    date := (select obj_description(oid, 'pg_constraint') from pg_constraint
                     where conrelid = 'state.tasks'::regclass and conname = 'first_partition')::date;
  parent   text;
  first    text;
  index    record;
  indexes  text[];
  triggers text[];
  views    text[] := array['state.order_process', 'state.invariant_violations'];
  queries  text[] := array(select pg_get_viewdef(view::regclass) from unnest(views) as view);
  made     text;
  allowed  record;
begin
  foreach parent in array array['state.tasks', 'state.steps'] loop
    first := state.partition_of(parent, month);
    triggers := array(select pg_get_triggerdef(oid) from pg_trigger
                       where tgrelid = parent::regclass and not tgisinternal);
    for made in select tgname from pg_trigger where tgrelid = parent::regclass and not tgisinternal loop
      execute format('drop trigger %I on %s', made, parent);
    end loop;
    execute format('alter table %s drop constraint sound', parent);
    execute format('drop function state.is_sound(%s)', parent);
    indexes := array(select pg_get_indexdef(indexrelid) from pg_index
                      where indrelid = parent::regclass and not indisprimary);
    for index in select indexrelid::regclass::text as path, pg_class.relname as name
                   from pg_index join pg_class on pg_class.oid = indexrelid
                  where indrelid = parent::regclass loop
      execute format('alter index %s rename to %I', index.path,
                     split_part(first, '.', 2) || substring(index.name from '_[^_]+$'));
    end loop;

    execute format('alter table %s rename to %I', parent, split_part(first, '.', 2));
    execute format('create table %s (like %s including all excluding indexes) partition by range (task_id)',
                   parent, first);
    execute format('alter table %s add primary key (%s)', parent,
                   case parent when 'state.tasks' then 'task_id' else 'task_id, name' end);
    foreach made in array indexes loop
      execute made;
    end loop;
    execute format('alter table %s attach partition %s for values from (minvalue) to (%L)', parent,
                   first, state.first_id_of(state.month_after(month)));
    execute format('alter table %s drop constraint first_partition', parent);
    foreach made in array triggers loop
      execute made;
    end loop;
    for allowed in select privilege_type, case when grantee = 0 then 'public'
                                               else quote_ident(pg_get_userbyid(grantee)) end as grantee
                     from pg_class, aclexplode(relacl)
                    where pg_class.oid = first::regclass loop
      execute format('grant %s on %s to %s', allowed.privilege_type, parent, allowed.grantee);
    end loop;
  end loop;

  for number in 1 .. cardinality(views) loop
    execute format('create or replace view %s as %s', views[number], queries[number]);
  end loop;
end
$$;

-- What 0009 says of it. Each partition has its own, for a rule about the whole row is not inherited, and one
-- about all its columns takes longer to read than the statement.
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

create function state.make_sound(part text) returns void language plpgsql as $$
begin
  -- Not valid, for the rows that are there have passed the same rules: nobody waits for a second look.
  execute format('alter table %s add constraint sound check (state.is_sound(%I)) not valid',
                 part, split_part(part, '.', 2));
end
$$;

select state.make_sound(inhrelid::regclass::text)
  from pg_inherits
 where inhparent in ('state.tasks'::regclass, 'state.steps'::regclass);

-- The months that there are. The first also has everything before it: of other tables there may be
-- partitions of their own for that, which go with it.
create or replace view state.partitions as
select month,
       case when month = min(month) over () then '00000000-0000-0000-0000-000000000000'::uuid
            else state.first_id_of(month) end        as first_id,
       state.first_id_of(state.month_after(month))   as end_id
  from (select to_date(substring(pg_class.relname from '^tasks_(.+)$'), 'YYYY_MM') as month
          from pg_inherits
          join pg_class on pg_class.oid = inhrelid
         where inhparent = to_regclass('state.tasks')) as known;

-- Has the planner think that the empty tables of a month are full. It takes a range of a table that it knows
-- nothing of for a small part, and would read it from end to end to find one row; and a plan that is made in
-- the first moment of a month is kept for a minute or longer.
create function state.seem_full(month date) returns void language plpgsql as $$
declare
  tasks constant text := state.partition_of('state.tasks', month);
  steps constant text := state.partition_of('state.steps', month);
  used  boolean;
begin
  execute format('select exists (select from %s) or exists (select from %s)', tasks, steps) into used;
  if used then
    raise exception 'the month % has tasks already', month;
  end if;
  execute format(
    'insert into %s (task_id, workflow)
     select overlay(state.first_id_of(%L::date + number * (interval ''1 month'' / 300))::text
                    placing right(gen_random_uuid()::text, 22) from 15)::uuid, ''x''
       from generate_series(0, 299) as number', tasks, month);
  execute format(
    'insert into %s (task_id, name, kind, lane, process_state, rank, not_before, admitted, start_within,
                     complete_within)
     select task_id, name, ''call'', name, state, due, due, true, 1, 1
       from %s
      cross join (values (''a'', ''pending'', now()), (''b'', ''waiting'', null), (''c'', ''waiting'', null))
              as step (name, state, due)', steps, tasks);
  execute format('analyze %s, %s', tasks, steps);
  begin
    -- In a transaction of its own within this one, for then it forgets how large they are.
    execute format('truncate %s, %s', tasks, steps);
  exception when assert_failure then
    raise;
  end;
end
$$;

-- Makes those of the tables that do not have one.
create or replace function state.make_partition(month date) returns void language plpgsql as $$
declare
  missing text[] := array(select parent from unnest(state.partitioned_tables()) as parent
                           where to_regclass(state.partition_of(parent, month)) is null);
  parent  text;
  part    text;
begin
  foreach parent in array missing loop
    execute format('create table %s (like %s including all excluding identity) with %s',
                   state.partition_of(parent, month), parent, state.storage_of(parent));
  end loop;
  if missing @> array['state.tasks', 'state.steps'] then
    perform state.seem_full(month);
  end if;
  foreach parent in array missing loop
    part := state.partition_of(parent, month);
    execute format('alter table %s attach partition %s for values from (%L) to (%L)', parent,
                   part, state.first_id_of(month), state.first_id_of(state.month_after(month)));
    if parent in ('state.tasks', 'state.steps') then
      perform state.make_sound(part);
    end if;
  end loop;
end
$$;

-- The months in which a step may be due, resting or in flight: this one, the next when it is about to begin,
-- and whichever has some. As one range of ids; null when this month has no partition.
create view state.busy_months as
select case when bool_or(is_now) then min(first_id::text)::uuid end as first_id,
       case when bool_or(is_now) then max(end_id::text)::uuid end   as end_id
  from (select first_id, end_id, month = state.month_of(clock_timestamp()) as is_now,
               month in (state.month_of(clock_timestamp()),
                         state.month_of(clock_timestamp() + interval '1 minute')) as is_current
          from state.partitions
        offset 0) as known
 where is_current
    -- Each in the order of an index that has no others.
    or exists (select from (select from state.steps
                             where task_id >= first_id and task_id < end_id
                               and process_state = 'pending' and rank is not null
                             order by lane, rank limit 1) as due)
    or exists (select from (select from state.steps
                             where task_id >= first_id and task_id < end_id
                               and process_state = 'pending' and rank is null
                             order by not_before limit 1) as resting)
    or exists (select from (select from state.steps
                             where task_id >= first_id and task_id < end_id
                               and process_state = 'processing'
                             order by complete_by limit 1) as in_flight);

-- Deletes finished tasks of a month that has to stay, with all that is kept of them. Says how many.
drop function state.delete_finished_tasks(date, interval, integer, boolean);
create function state.delete_finished_tasks(of_month date, keep interval, at_most integer)
  returns integer language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
declare
  ids uuid[];
begin
  ids := array(
    select task_id
      from state.tasks
      join state.partitions on month = of_month and task_id >= first_id and task_id < end_id
     where finished_at < clock_timestamp() - greatest(keep, interval '1 day')
     order by task_id
     limit at_most
       for update of tasks skip locked);
  delete from state.steps where task_id = any(ids);
  delete from state.task_payloads where task_id = any(ids);
  delete from state.step_payloads where task_id = any(ids);
  delete from state.events where task_id = any(ids);
  delete from orders.order_lines where order_id = any(ids);
  delete from orders.orders where order_id = any(ids);
  delete from state.tasks where task_id = any(ids);
  return cardinality(ids);
end
$$;

-- What is to be kept of a month that ended longer ago than tasks are to be kept, and a day.
create function state.must_stay(of_month date, keep interval, out has_unfinished boolean, out has_recent boolean)
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select exists (select from state.tasks
                  where task_id >= first_id and task_id < end_id
                    and finished_at is null),
         -- Whoever was recent a day after the end of its month was slow.
         exists (select from state.tasks
                  where task_id >= first_id and task_id < end_id
                    and finished_at - created_at > interval '1 day'
                    and finished_at > clock_timestamp() - keep)
    from state.partitions
   where month = of_month
$$;

-- Drops a month of which nothing is to be kept, all its tables at once. False: there is something, or
-- somebody is at work in these tables for so long that others would have to wait.
drop function state.drop_month(date);
create function state.drop_month(of_month date, keep interval) returns boolean language plpgsql security definer
  set search_path = pg_catalog, pg_temp set lock_timeout = '100ms' as $$
declare
  at_least constant interval := greatest(keep, interval '1 day');
  is_first boolean;
  parent   text;
  part     regclass;
begin
  foreach parent in array state.partitioned_tables() loop
    execute format('lock table only %s in access exclusive mode', parent);
  end loop;
  -- Looked at with the locks in hand.
  select of_month = (select min(month) from state.partitions) into is_first
    from state.partitions
   cross join state.must_stay(of_month, at_least)
   where month = of_month
     and end_id <= state.first_id_of(clock_timestamp() - at_least - interval '1 day')
     and not has_unfinished
     and not has_recent;
  if not found then
    return false; -- Or somebody else was quicker.
  end if;
  foreach parent in array state.partitioned_tables() loop
    for part in select inhrelid
                  from pg_inherits
                  join pg_class on pg_class.oid = inhrelid
                 where inhparent = parent::regclass
                   and (inhrelid = to_regclass(state.partition_of(parent, of_month))
                        or is_first and pg_class.relname < split_part(state.partition_of(parent, of_month), '.', 2))
    loop
      execute format('drop table %s', part);
    end loop;
  end loop;
  return true;
exception when lock_not_available then
  return false;
end
$$;

revoke execute on function state.make_sound(text),
                           state.seem_full(date),
                           state.must_stay(date, interval),
                           state.delete_finished_tasks(date, interval, integer),
                           state.drop_month(date, interval)
  from public;
grant execute on function state.must_stay(date, interval),
                          state.delete_finished_tasks(date, interval, integer),
                          state.drop_month(date, interval)
   to holdfast_supervisor;
grant select on state.busy_months to holdfast_submission, holdfast_scheduler, holdfast_supervisor;

-- The first part, too, if this is a new store.
do $$
declare
  month date := (select min(partitions.month) from state.partitions);
begin
  if not exists (select from state.tasks) then
    perform state.seem_full(month);
  end if;
end
$$;

-- Releases before it call functions that are gone.
update state.compatibility set schema_version = 4, oldest_reader = 4;
