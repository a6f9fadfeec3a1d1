-- The migrations that this store has had.
select name
  from state.migrations
 order by id;
