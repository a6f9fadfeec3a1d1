-- Whether replies arrive. A Supervisor counts silence only after a message of its own has gone the way of a reply, and
-- remembers here when none could: see decision 0150.

-- By queue of replies.
create table state.reply_paths (
  queue        text        primary key,
  -- When the oldest probe was sent that has not arrived, and since when there has been silence to judge; null: all arrived.
  asked_at     timestamptz,
  silent_since timestamptz,
  -- When the last probe that arrived was sent.
  proven_at    timestamptz,
  -- What is known of why none arrives, and whether a person has been alerted of it.
  trouble      text,
  alerted      boolean     not null default false,

  constraint asked_about_silence check ((asked_at is null) = (silent_since is null))
);

-- Times in which requests or replies may not have arrived: what was silent then is not counted as a failure.
create table state.outages (
  id      bigint      generated always as identity primary key,
  part    text        not null,
  from_at timestamptz not null,
  to_at   timestamptz not null,

  constraint known_part check (part in ('requests', 'replies')),
  constraint lasts check (from_at <= to_at)
);
create index outages_by_end on state.outages (to_at);

-- Remembers an outage until now. It goes on with the last one that it touches.
create function state.remember_outage(of_part text, since timestamptz) returns void language plpgsql
  security definer set search_path = pg_catalog, pg_temp as $$
declare
  -- What was held up may take a moment longer than what shows that it is over.
  until constant timestamptz := clock_timestamp() + interval '1 second';
begin
  update state.outages
     set to_at = greatest(to_at, until), from_at = least(from_at, since)
   where id = (select id from state.outages
                where part = of_part
                  and to_at >= since - interval '1 second'
                order by to_at desc
                limit 1);
  if not found then
    insert into state.outages (part, from_at, to_at) values (of_part, least(since, until), until);
    -- No attempt lasts longer than 24.8 days.
    delete from state.outages where to_at < state.trusted_now() - interval '31 days';
  end if;
end
$$;
revoke execute on function state.remember_outage(text, timestamptz) from public;
grant execute on function state.remember_outage(text, timestamptz) to holdfast_scheduler, holdfast_supervisor;

grant select, insert, update on state.reply_paths to holdfast_supervisor;
grant select, update on state.reply_paths to holdfast_scheduler;
grant select on state.outages to holdfast_supervisor;
grant select on state.reply_paths, state.outages to holdfast_observer, holdfast_operations;
grant execute on function state.raise_alert(text, text, text) to holdfast_supervisor;

update state.compatibility set schema_version = greatest(schema_version, 15);
