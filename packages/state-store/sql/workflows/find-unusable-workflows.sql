-- The workflows that are paused because their definitions cannot be used.
select name
  from state.pauses
 where kind = 'workflow'
   and resumed_at is null
   and actor = :actor
 limit 200;
