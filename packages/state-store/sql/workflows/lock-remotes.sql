-- One transaction at a time says what Agents wrap: the next sees the workflows that the one before
-- has stored.
select pg_advisory_xact_lock(hashtext('state.remotes')) is null as locked;
