-- How many tasks there are of each state. Reads them all: for people, not for the way of work.
select process_state, count(*)::integer as tasks
  from state.tasks
 group by process_state;
