-- Writes to the log, so that the commit of a transaction that only reads waits for a synchronous
-- standby, too.
select pg_logical_emit_message(true, 'holdfast', '')::text as lsn;
