-- The id of this store; a restored one has the id that it had.
select id::text as id
  from state.installation;
