-- A clock that was set back does not shorten what is kept: see decision 0055.

-- phase: locks state.trusted_clock
-- The first look since the clock has been an hour or more behind the last one before it; null: it is not.
alter table state.trusted_clock add column behind_since timestamptz;

-- The latest time that is known to have come: the clock, or the last look at it, which it may be behind. What is kept
-- until a time is kept until one after this: by a clock that was set back for a moment it would be over at once.
create function state.reached_now() returns timestamptz language sql stable security definer
  set search_path = pg_catalog, pg_temp as $$
  select greatest(clock_timestamp(), at) from state.trusted_clock
$$;
revoke execute on function state.reached_now() from public;
grant execute on function state.reached_now() to holdfast_submission;

create or replace function state.look_at_clock() returns timestamptz language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
declare
  now   constant timestamptz := clock_timestamp();
  known state.trusted_clock;
begin
  select * into known from state.trusted_clock for update;
  -- Set back, and for less than a day: what was reached stays reached.
  if now < known.at - interval '1 hour'
     and now < coalesce(known.behind_since, now) + interval '1 day' then
    if known.behind_since is null or now < known.behind_since then
      update state.trusted_clock set behind_since = now, ahead_since = null, ahead_at = null;
      perform state.raise_alert('store.clock_jumped', 'store.clock_jumped',
        format('the store''s clock says %s, and was %s at the last look: it was set back', now, known.at));
    end if;
    return null;
  end if;
  if now <= known.at + interval '26 hours' then
    update state.trusted_clock set at = now, ahead_since = null, ahead_at = null, behind_since = null;
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

update state.compatibility set schema_version = greatest(schema_version, 19);
