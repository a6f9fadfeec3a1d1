-- Nothing is forgotten by a clock that has jumped, and messages that anybody may send are kept within bounds.

-- phase: online
-- Times by which something is deleted. The store's clock is trusted as long as a Supervisor has looked at it in
-- the last day: a failover to a server whose clock is months ahead must not delete the past.
create table if not exists state.trusted_clock (
  singleton   boolean     primary key default true check (singleton),
  at          timestamptz not null,
  -- The first look, and the last, since the clock has been ahead; null: it is not.
  ahead_since timestamptz,
  ahead_at    timestamptz
);
insert into state.trusted_clock (at) values (clock_timestamp()) on conflict do nothing;

-- As far as the clock is trusted. A Supervisor that runs once a day may be late.
create or replace function state.trusted_now() returns timestamptz language sql stable security definer
  set search_path = pg_catalog, pg_temp as $$
  select case when clock_timestamp() <= at + interval '26 hours' then clock_timestamp() else at end
    from state.trusted_clock
$$;

create or replace function state.raise_alert(kind text, code text, detail text) returns void language sql
  security definer set search_path = pg_catalog, pg_temp as $$
  with alert as (
    insert into state.alerts (episode, kind, code, detail)
    select (extract(epoch from clock_timestamp()) / 60)::integer, kind, code, detail
    returning episode, alerts.kind, alerts.code, alerts.detail, at
  )
  insert into state.outbox (subject, channel, seq, body)
  select alert.kind || ':' || episode || ':' || alert.code, 'alert', 1,
         json_build_object('taskId', null, 'episode', episode, 'kind', alert.kind, 'step', null,
                           'code', alert.code, 'detail', alert.detail, 'at', at)
    from alert
$$;

-- Looks at the clock, once in each round of a Supervisor. When it is more than a day ahead of the last look,
-- either it has jumped or no Supervisor was running: nothing is forgotten for a day, in which a person is
-- alerted; from then on a month is made up for each day. Says since when it has been ahead.
create or replace function state.look_at_clock() returns timestamptz language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
declare
  now   constant timestamptz := clock_timestamp();
  known state.trusted_clock;
begin
  select * into known from state.trusted_clock for update;
  if now <= known.at + interval '26 hours' then
    -- Also when it was set back.
    update state.trusted_clock set at = now, ahead_since = null, ahead_at = null;
    return null;
  end if;
  if known.ahead_since is null or now < known.ahead_at or now > known.ahead_at + interval '26 hours' then
    update state.trusted_clock set ahead_since = now, ahead_at = now;
    perform state.raise_alert('store.clock_jumped', 'store.clock_jumped',
      format('the store''s clock says %s, a day or more after the last look at %s: nothing is deleted for a day',
             now, known.at));
    return now;
  end if;
  if now < known.ahead_since + interval '1 day' then
    update state.trusted_clock set ahead_at = now;
  else
    update state.trusted_clock
       set at = least(now, known.at + interval '1 month'), ahead_since = now, ahead_at = now;
  end if;
  return known.ahead_since;
end
$$;

-- What deletes by age stays as it is, but goes by the trusted clock.
do $$
declare
  forgetting regprocedure;
begin
  foreach forgetting in array array['state.delete_finished_tasks(date, interval, integer)',
                                    'state.must_stay(date, interval)',
                                    'state.drop_month(date, interval)']::regprocedure[] loop
    execute replace(pg_get_functiondef(forgetting), 'clock_timestamp()', 'state.trusted_now()');
  end loop;
end
$$;

-- Makes the partitions of this month and the next, and of those since the last one that there is; says which it
-- made. Of a gap that is longer than a year, which only a clock that jumped leaves, it makes the last thirteen months.
create or replace function state.make_partitions() returns date[] language plpgsql security definer
  set search_path = pg_catalog, pg_temp set lock_timeout = '1s' as $$
declare
  this constant date := state.month_of(clock_timestamp());
  made date[];
begin
  -- One at a time.
  lock table only state.events in share update exclusive mode;
  made := array(
    select one::date
      from generate_series(
             least(this, greatest((select state.month_after(max(month)) from state.partitions),
                                  (this - interval '13 months')::date))::timestamp,
             state.month_after(this), '1 month') as one
     where one::date not in (select month from state.partitions)
       -- What is before the first month is in its partition.
       and one::date > (select min(month) from state.partitions)
     order by 1);
  perform state.make_partition(month) from unnest(made) as month;
  return made;
end
$$;

-- Deletes the oldest messages of each sender that keeps more than so many bytes here, at most so many messages;
-- says of whom and how many. The first of a day raises an alert.
create or replace function state.delete_excess_messages(most_bytes bigint, at_most integer)
  returns table (sender text, messages bigint) language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
begin
  if pg_total_relation_size('state.rejected_replies') + pg_total_relation_size('state.dead_letters') < most_bytes then
    return;
  end if;
  for sender, messages in
    with replies as (
      delete from state.rejected_replies
       where id in (select id
                      from (select id, sum(pg_column_size(kept.*) + 100) over
                                         (partition by kept.sender order by id desc) as newer
                              from state.rejected_replies as kept) as sized
                     where newer > most_bytes
                     order by id
                     limit at_most)
      returning coalesce(rejected_replies.sender, 'unknown') as who
    ),
    letters as (
      delete from state.dead_letters
       where id in (select id
                      from (select id, sum(pg_column_size(kept.*) + 100) over
                                         (partition by kept.sender order by id desc) as newer
                              from state.dead_letters as kept) as sized
                     where newer > most_bytes
                     order by id
                     limit at_most)
      returning coalesce(dead_letters.sender, 'unknown') as who
    )
    select who, count(*)
      from (select who from replies union all select who from letters) as dropped
     group by who
  loop
    if not exists (select from state.alerts
                    where kind = 'message.dropped'
                      and at > clock_timestamp() - interval '1 day'
                      and starts_with(detail, sender || ' has ')) then
      perform state.raise_alert('message.dropped', 'store.full_of_messages',
        format('%s has more than %s of refused or unreadable messages: the oldest are deleted', sender,
               pg_size_pretty(most_bytes)));
    end if;
    return next;
  end loop;
end
$$;

revoke execute on function state.trusted_now(), state.raise_alert(text, text, text), state.look_at_clock(),
                           state.delete_excess_messages(bigint, integer)
  from public;
grant execute on function state.trusted_now(), state.look_at_clock(), state.delete_excess_messages(bigint, integer)
   to holdfast_supervisor;

-- phase: online
-- Alerts are of more and more kinds: what a kind looks like is enough.
alter table state.alerts drop constraint known_kind;
alter table state.alerts add constraint known_kind check (kind ~ '^[a-z]+\.[a-z_]+$') not valid;

-- phase: online
alter table state.alerts validate constraint known_kind;

-- Releases before tasks were kept by month call functions that are gone.
update state.compatibility set schema_version = 7, oldest_reader = greatest(oldest_reader, 4);
