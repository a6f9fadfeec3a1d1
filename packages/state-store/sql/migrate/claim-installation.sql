-- Gives the store to a project, unless it is another one's. No row: it is.
update state.installation
   set project = :project::uuid
 where project is null
    or project = :project::uuid
    or :takes_over
returning project::text as project;
