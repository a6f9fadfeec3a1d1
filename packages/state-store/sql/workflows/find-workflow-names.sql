-- The names of stored workflows, the latest first.
select name
  from state.workflows
 order by created_at desc, name
 limit 1000;
