-- What became of a transaction, as this server knows it: committed, aborted, in progress; null when
-- it is too long ago. Its start and the start of its statistics say which server this is: the
-- second changes when it crashes without its postmaster.
select pg_xact_status(:xid::xid8) as status,
       pg_postmaster_start_time() || ' ' || pg_stat_get_bgwriter_stat_reset_time() as incarnation;
