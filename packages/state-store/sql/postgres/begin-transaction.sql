-- The identity of a transaction, for a later question about its outcome. Another incarnation of the
-- server, after a crash, a restart or a failover, may give the same id to another transaction.
select pg_current_xact_id()::text as xid,
       pg_postmaster_start_time() || ' ' || pg_stat_get_bgwriter_stat_reset_time() as incarnation;
