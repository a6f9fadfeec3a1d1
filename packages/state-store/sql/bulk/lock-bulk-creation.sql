-- Bulk operations are created one after the other: the number of open ones is bounded.
select pg_advisory_xact_lock(hashtext('state.bulk_operations')) is null as locked;
