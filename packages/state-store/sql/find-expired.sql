-- What the Supervisor looks for, in one statement and without locks: steps whose complete-by time
-- has passed, tasks whose own limit has, and in how many milliseconds the next step's will.
(select task_id, name as step, attempt, token,
        (extract(epoch from statement_timestamp() - complete_by) * 1000)::float8 as overdue,
        start_within + complete_within as lasted, null::float8 as next_in
   from state.steps
  where process_state = 'processing'
    and complete_by <= statement_timestamp()
    and format <= :format
  order by complete_by
  limit :batch)
union all
(select task_id, null, null, null, null, null, null
   from state.tasks
  where complete_by <= statement_timestamp()
    and finished_at is null
    and goal = 'do'
    and format <= :format
  order by complete_by
  limit :batch)
union all
select null, null, null, null, null, null,
       (extract(epoch from min(complete_by) - statement_timestamp()) * 1000)::float8
  from state.steps
 where process_state = 'processing'
   and complete_by > statement_timestamp();
