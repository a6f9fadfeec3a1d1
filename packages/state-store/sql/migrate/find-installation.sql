-- The project whose `holdfast dev` uses the store, and whether anything has used it.
select project::text as project,
       exists (select from state.workflows)
         or exists (select from state.tasks)
         or exists (select from state.instances) as is_used
  from state.installation;
