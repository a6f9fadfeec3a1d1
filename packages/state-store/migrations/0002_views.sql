-- The pattern's own record, one row for each step in hand. Stable, whatever becomes of the tables.
create view state.order_process as
select task_id       as "OrderID",
       name          as "Step",
       locked_by     as "LockedBy",
       complete_by   as "CompleteBy",
       case process_state
         when 'waiting'   then 'Pending'
         when 'pending'   then 'Pending'
         when 'processing' then 'Processing'
         when 'processed' then 'Processed'
         when 'error'     then 'Error'
         else initcap(process_state)
       end           as "ProcessState",
       failure_count as "FailureCount"
  from state.steps;

-- What must never be: always empty, whatever crashed. Read by people and by tests.
create view state.invariant_violations as
with summed as (
  select t.task_id, t.goal, t.process_state, t.updated_at,
         count(s.name)                                                                as steps,
         count(*) filter (where s.process_state = 'error')                            as in_error,
         count(*) filter (where s.process_state = 'error' and s.kind = 'compensation') as undo_in_error,
         count(*) filter (where s.process_state in ('processed', 'skipped'))          as done,
         count(*) filter (where s.process_state in ('waiting', 'pending', 'processing')) as open,
         count(*) filter (where s.process_state in ('pending', 'processing', 'error')) as moving,
         count(*) filter (where s.attempt > 0)                                        as attempted
    from state.tasks t
    left join state.steps s using (task_id)
   group by t.task_id
),
chained as (
  select task_id, step, from_state, action,
         lag(to_state) over (partition by task_id, step order by id) as before
    from state.events
   where step is not null
)
select 'every task has steps' as invariant, task_id, null as witness
  from summed where steps = 0
union all
select 'the state of a task follows from its steps', task_id, process_state
  from summed
 where process_state <> case
         when goal = 'do' and in_error > 0     then 'error'
         when goal = 'do' and done = steps     then 'processed'
         when goal = 'do' and attempted > 0    then 'processing'
         when goal = 'do'                      then 'pending'
         when undo_in_error > 0                then 'error'
         when open = 0                         then 'compensated'
         else 'compensating'
       end
   -- A claim leaves the task to whoever holds its lock: that one sums it up.
   and not (goal = 'do' and process_state = 'pending' and attempted > 0 and in_error = 0 and done < steps)
union all
select 'an unfinished task has something to wait for', task_id, process_state
  from summed
 where process_state not in ('processed', 'compensated') and moving = 0
union all
select 'nothing is left to do in a finished task', task_id, process_state
  from summed
 where process_state in ('processed', 'compensated') and open > 0
union all
select 'what an undone task did is undone', s.task_id, s.name
  from state.steps s
  join state.tasks t using (task_id)
 where t.process_state = 'compensated' and s.kind = 'compensation'
   and s.process_state not in ('processed', 'skipped')
union all
select 'an attempt is claimed once', task_id, step || ' ' || attempt
  from state.events
 where action = 'claim'
 group by task_id, step, attempt
having count(*) > 1
union all
select 'the history of a step is unbroken', task_id, step || ': ' || before || ' then ' || from_state
  from chained
 where before is not null and before <> from_state
union all
select 'every claim is in the history', s.task_id, s.name
  from state.steps s
 where s.attempt <> (select count(*) from state.events e
                      where e.task_id = s.task_id and e.step = s.name and e.action = 'claim');
