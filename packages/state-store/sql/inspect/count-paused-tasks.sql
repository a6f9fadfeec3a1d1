-- How many unfinished tasks are paused, counted no further than to 10,000.
select count(*)::integer as tasks
  from (select from state.tasks where finished_at is null and paused_at is not null limit 10000) as paused;
