-- Alerts of the last so many milliseconds that were not delivered, and notifications that were not
-- sent, both older than so many milliseconds. Of each the last 10,000 are looked at.
select (select count(*)::integer
          from (select at, told_at from state.alerts order by id desc limit 10000) as latest
         where told_at is null
           and at > clock_timestamp() - :within::float8 * interval '1 millisecond'
           and at < clock_timestamp() - :longer_than::float8 * interval '1 millisecond') as undelivered,
       (select count(*)::integer
          from (select at from state.outbox order by id limit 10000) as oldest
         where at < clock_timestamp() - :longer_than::float8 * interval '1 millisecond') as unsent;
