-- Remembers that operators have stored a workflow, too.
update state.workflows set by_operators = true where name = :name;
