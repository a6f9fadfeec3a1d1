-- An Agent that could not answer, because the broker took nothing from it, says so afterwards: what was silent of it then
-- is not counted as a failure.

alter table state.outages
  drop constraint known_part,
  add constraint known_part check (part in ('requests', 'replies') or part like 'agent %');

-- Remembers an outage until now. It goes on with the last one that it touches. Those of an Agent count for that Agent
-- alone, and lie further apart: however often it speaks, few rows come of it.
create or replace function state.remember_outage(of_part text, since timestamptz) returns void language plpgsql
  security definer set search_path = pg_catalog, pg_temp as $$
declare
  -- What was held up may take a moment longer than what shows that it is over.
  until constant timestamptz := clock_timestamp() + interval '1 second';
  gap constant interval := case when of_part like 'agent %' then interval '1 minute' else interval '1 second' end;
begin
  update state.outages
     set to_at = greatest(to_at, until), from_at = least(from_at, since)
   where id = (select id from state.outages
                where part = of_part
                  and to_at >= since - gap
                order by to_at desc
                limit 1);
  if not found then
    insert into state.outages (part, from_at, to_at) values (of_part, least(since, until), until);
    -- No attempt lasts longer than 24.8 days.
    delete from state.outages where to_at < state.trusted_now() - interval '31 days';
  end if;
end
$$;

update state.compatibility set schema_version = greatest(schema_version, 16);
