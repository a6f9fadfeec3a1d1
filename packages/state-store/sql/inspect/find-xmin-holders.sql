-- What has kept vacuum from its work for long: sessions and prepared transactions that began more
-- than so many milliseconds ago, and replication slots that fell more than so many transactions
-- behind.
select 'session' as kind, pid::text as name,
       concat_ws(', ', nullif(application_name, ''), usename, state) as detail,
       (extract(epoch from clock_timestamp() - xact_start) * 1000)::float8 as open_for
  from pg_stat_activity
 where xact_start < clock_timestamp() - :longer_than::float8 * interval '1 millisecond'
   and backend_type = 'client backend'
union all
select 'prepared transaction', gid, owner, (extract(epoch from clock_timestamp() - prepared) * 1000)::float8
  from pg_prepared_xacts
 where prepared < clock_timestamp() - :longer_than::float8 * interval '1 millisecond'
union all
select 'replication slot', slot_name::text,
       greatest(age(xmin), age(catalog_xmin)) || ' transactions behind', null
  from pg_replication_slots
 where greatest(age(xmin), age(catalog_xmin)) > :further_than::integer
 order by open_for desc nulls last
 limit 10;
