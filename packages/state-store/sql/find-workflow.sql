-- A stored definition.
select definition, content_hash
  from state.workflows
 where name = :name;
