-- Has a retired workflow take new tasks again. No row: it is not retired, or not stored.
update state.workflows
   set retired_at = null, retired_by = null, retired_reason = null
 where name = :name
   and retired_at is not null
   and state.lock_family(name)
returning name;
