-- Tables that are not vacuumed, or whose dead rows outnumber the living.
select pg_class.relname as name, n_dead_tup::float8 as dead, n_live_tup::float8 as live,
       coalesce('autovacuum_enabled=false' = any (reloptions), false) as is_off
  from pg_stat_user_tables
  join pg_class on pg_class.oid = relid
 where schemaname = 'state'
   and ('autovacuum_enabled=false' = any (reloptions)
        or (n_dead_tup > :more_than::integer and n_dead_tup > n_live_tup))
 order by name;
