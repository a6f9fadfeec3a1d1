-- What is added with every order and hardly read again is kept by month, so that the past is dropped and
-- not deleted row by row. Ids begin with their time, which is the store's: a span of time is a range of
-- ids, and who knows an id looks into one partition. `tasks` and `steps` stay whole: what is due is
-- looked for among all of them, and that would look into each partition.

-- phase: online
create or replace function state.partitioned_tables() returns text[] language sql immutable as $$
  select array['state.task_payloads', 'state.step_payloads', 'state.events',
               'orders.orders', 'orders.order_lines']
$$;

-- Months are those of UTC.
create or replace function state.month_of(instant timestamptz) returns date language sql immutable as $$
  select date_trunc('month', instant at time zone 'UTC')::date
$$;

create or replace function state.month_after(month date) returns date language sql immutable as $$
  select (month + interval '1 month')::date
$$;

-- No task of that time or of a later one has an id below it.
create or replace function state.first_id_of(instant timestamptz) returns uuid language sql immutable as $$
  select (lpad(to_hex((extract(epoch from instant) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

create or replace function state.first_id_of(month date) returns uuid language sql immutable as $$
  select state.first_id_of(month::timestamp at time zone 'UTC')
$$;

create or replace function state.partition_of(parent text, month date) returns text language sql immutable as $$
  select parent || '_' || extract(year from month) || '_' || lpad(extract(month from month)::text, 2, '0')
$$;

-- The months that there are. The first also has everything before it.
create or replace view state.partitions as
select month,
       case when month = min(month) over () then '00000000-0000-0000-0000-000000000000'::uuid
            else state.first_id_of(month) end        as first_id,
       state.first_id_of(state.month_after(month))   as end_id
  from (select to_date(substring(pg_class.relname from '^events_(.+)$'), 'YYYY_MM') as month
          from pg_inherits
          join pg_class on pg_class.oid = inhrelid
         where inhparent = to_regclass('state.events')) as known;

-- phase: apart
-- Keys that have expired are looked for.
drop index concurrently if exists state.submissions_expiring;
create index concurrently submissions_expiring on state.submissions (expires_at);

-- phase: locks state.task_payloads, state.step_payloads, state.events, orders.orders, orders.order_lines
-- Says in advance what the first partition has, so that nobody reads it while it is attached. It ends with the
-- first month that lasts for another day: orders of a later one are refused until the last phase has run.
do $$
declare
  latest uuid;
  month  date := state.month_of(clock_timestamp() + interval '1 day');
  parent text;
begin
  select task_id into latest from state.tasks order by task_id desc limit 1;
  if latest >= state.first_id_of(state.month_after(month)) then
    -- The clock was ahead once.
    month := state.month_of(to_timestamp(
      ('x' || left(replace(latest::text, '-', ''), 12))::bit(48)::bigint / 1000.0));
  end if;
  foreach parent in array state.partitioned_tables() loop
    execute format('alter table %s drop constraint if exists first_partition', parent);
    execute format('alter table %1$s add constraint first_partition
                      check (%2$I is not null and %2$I < %3$L) not valid',
                   parent, case when parent like 'orders.%' then 'order_id' else 'task_id' end,
                   state.first_id_of(state.month_after(month)));
    execute format('comment on constraint first_partition on %s is %L', parent, month);
  end loop;
end
$$;

-- phase: online
alter table state.task_payloads validate constraint first_partition;
alter table state.step_payloads validate constraint first_partition;
alter table state.events validate constraint first_partition;
alter table orders.orders validate constraint first_partition;
alter table orders.order_lines validate constraint first_partition;

-- phase: locks state.task_payloads, state.step_payloads, state.events, orders.orders, orders.order_lines
alter table orders.order_lines drop constraint order_lines_order_id_fkey;

-- What is there already becomes the first month: nothing is copied, nothing is read.
do $$
declare
  month      date := (select obj_description(oid, 'pg_constraint') from pg_constraint
                       where conrelid = 'state.events'::regclass and conname = 'first_partition')::date;
  invariants text := pg_get_viewdef('state.invariant_violations'::regclass);
  next_event bigint := nextval(pg_get_serial_sequence('state.events', 'id'));
  parent     text;
  first      text;
  allowed    record;
begin
  alter table state.events alter column id drop identity;

  foreach parent in array state.partitioned_tables() loop
    first := state.partition_of(parent, month);
    execute format('alter table %s rename to %I', parent, split_part(first, '.', 2));
    execute format('alter index %s rename to %I', parent || '_pkey', split_part(first, '.', 2) || '_pkey');
    execute format('create table %s (like %s including all) partition by range (%I)', parent, first,
                   case when parent like 'orders.%' then 'order_id' else 'task_id' end);
    execute format('alter table %s attach partition %s for values from (minvalue) to (%L)', parent,
                   first, state.first_id_of(state.month_after(month)));
    execute format('alter table %s drop constraint first_partition', parent);
    for allowed in select privilege_type, case when grantee = 0 then 'public'
                                               else quote_ident(pg_get_userbyid(grantee)) end as grantee
                     from pg_class, aclexplode(relacl)
                    where pg_class.oid = first::regclass loop
      execute format('grant %s on %s to %s', allowed.privilege_type, parent, allowed.grantee);
    end loop;
  end loop;

  alter table state.events alter column id add generated always as identity;
  perform setval(pg_get_serial_sequence('state.events', 'id'), next_event, false);
  execute format('create or replace view state.invariant_violations as %s', invariants);
end
$$;

create function state.make_partition(month date) returns void language plpgsql as $$
declare
  parent text;
begin
  foreach parent in array state.partitioned_tables() loop
    execute format('create table %s (like %s including all excluding identity)',
                   state.partition_of(parent, month), parent);
    execute format('alter table %s attach partition %s for values from (%L) to (%L)', parent,
                   state.partition_of(parent, month), state.first_id_of(month),
                   state.first_id_of(state.month_after(month)));
  end loop;
end
$$;

-- Makes the partitions of all months up to the next, unless they are there; says which it made. Nobody
-- who reads or writes meanwhile is held up.
create function state.make_partitions() returns date[] language plpgsql security definer
  set search_path = pg_catalog, pg_temp set lock_timeout = '1s' as $$
declare
  made date[];
begin
  -- One at a time.
  lock table only state.events in share update exclusive mode;
  made := array(select generate_series(state.month_after(max(month))::timestamp,
                                       state.month_after(state.month_of(clock_timestamp())),
                                       '1 month')::date
                  from state.partitions);
  perform state.make_partition(month) from unnest(made) as month;
  return made;
end
$$;

-- Deletes tasks of a month that ended longer ago than they are to be kept: the partitions of what is kept
-- by month are dropped later, or, should the month have to stay, their rows deleted too. Says how many.
create function state.delete_finished_tasks(of_month date, keep interval, at_most integer, with_records boolean)
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
  if with_records then
    delete from state.task_payloads where task_id = any(ids);
    delete from state.step_payloads where task_id = any(ids);
    delete from state.events where task_id = any(ids);
    delete from orders.order_lines where order_id = any(ids);
    delete from orders.orders where order_id = any(ids);
  end if;
  delete from state.tasks where task_id = any(ids);
  return cardinality(ids);
end
$$;

-- Drops a month of which no task is left, all its tables at once. False: there is one, or somebody is at
-- work in these tables for so long that others would have to wait.
create function state.drop_month(of_month date) returns boolean language plpgsql security definer
  set search_path = pg_catalog, pg_temp set lock_timeout = '100ms' as $$
declare
  parent text;
begin
  if of_month >= state.month_of(clock_timestamp()) or exists (
       select from state.tasks
         join state.partitions on month = of_month and task_id >= first_id and task_id < end_id) then
    return false;
  end if;
  foreach parent in array state.partitioned_tables() loop
    execute format('lock table only %s in access exclusive mode', parent);
  end loop;
  if not exists (select from state.partitions where month = of_month) then
    return false; -- Somebody else was quicker.
  end if;
  foreach parent in array state.partitioned_tables() loop
    execute format('drop table %s', state.partition_of(parent, of_month));
  end loop;
  return true;
exception when lock_not_available then
  return false;
end
$$;

revoke execute on function state.make_partition(date), state.make_partitions(),
                           state.delete_finished_tasks(date, interval, integer, boolean),
                           state.drop_month(date)
  from public;
grant execute on function state.make_partitions() to holdfast_submission, holdfast_supervisor;
grant execute on function state.delete_finished_tasks(date, interval, integer, boolean),
                          state.drop_month(date)
   to holdfast_supervisor;
grant select on state.partitions to holdfast_submission, holdfast_supervisor;

-- The update is for the lock on what is deleted.
grant select, update (expires_at), delete on state.submissions to holdfast_supervisor;
grant select (id, at), delete on state.rejected_replies, state.dead_letters to holdfast_supervisor;
grant delete on state.alerts, state.pauses to holdfast_supervisor;

update state.compatibility set schema_version = 3;
