-- How many notifications wait to be sent, counted no further than to 10,000, and for how long the
-- oldest one has.
select (select count(*)::integer from (select id from state.outbox limit 10000) as first_few) as waiting,
       (select extract(epoch from clock_timestamp() - min(at))::float8 * 1000
          from (select at from state.outbox order by id limit 1) as oldest) as oldest_for;
