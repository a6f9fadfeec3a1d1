-- A workflow that submission stored, if this login may say that operators have it, too.
select name
  from state.workflows
 where name = :name
   and not by_operators
   and state.decides_on_workflows();
