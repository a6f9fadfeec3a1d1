-- Has a workflow take no new tasks; those under way go on. No row: it is retired already, or not
-- stored.
update state.workflows
   set retired_at = clock_timestamp(), retired_by = :actor, retired_reason = :reason
 where name = :name
   and retired_at is null
   and state.lock_family(name)
returning name;
