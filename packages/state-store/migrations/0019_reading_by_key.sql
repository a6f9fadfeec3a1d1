-- Operators, too, find a task by its business key.

grant select on state.business_keys to holdfast_operations;

update state.compatibility set schema_version = greatest(schema_version, 26);
