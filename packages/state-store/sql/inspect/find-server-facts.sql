-- What the server is, and how it is set up, as far as Holdfast depends on it. Its clock comes last.
select current_setting('server_version')                       as version,
       current_setting('server_version_num')::integer / 10000  as major,
       pg_is_in_recovery()                                     as is_standby,
       current_setting('autovacuum')::boolean                  as autovacuum,
       current_setting('track_counts')::boolean                as track_counts,
       current_setting('fsync')::boolean                       as fsync,
       current_setting('full_page_writes')::boolean            as full_page_writes,
       current_setting('synchronous_commit')                   as synchronous_commit,
       current_setting('server_encoding')                      as encoding,
       current_setting('max_connections')::integer
         - current_setting('superuser_reserved_connections')::integer
         - coalesce(current_setting('reserved_connections', true), '0')::integer as places,
       -- Of sessions that this login may not look into only a name is known.
       (select count(*)::integer
          from pg_stat_activity
         where usename is not null
           and coalesce(backend_type, 'client backend') = 'client backend')       as connections,
       pg_has_role('pg_read_all_stats', 'usage')                                  as sees_all_sessions,
       (extract(epoch from clock_timestamp()) * 1000)::float8                     as now;
