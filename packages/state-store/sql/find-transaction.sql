-- What became of a transaction: committed, aborted, in progress; null when it is too long ago.
select pg_xact_status(:xid::xid8) as status;
