-- Whatever moves a task or a step writes to each index that has one of the columns that it changes.

-- phase: apart
drop index concurrently if exists state.tasks_unfinished_by_id;
create index concurrently tasks_unfinished_by_id on state.tasks (task_id) where finished_at is null;

-- phase: locks state.tasks, state.steps
-- Each decision touched its task, and so wrote to both indexes. Now most find room beside the row and write to
-- none. Those who look for unfinished tasks read them all anyway, in whichever order.
drop index state.tasks_unfinished;
alter index state.tasks_unfinished_by_id rename to tasks_unfinished;
alter table state.tasks set (fillfactor = 60);

-- Steps in flight are counted for all lanes at once: steps_expiring names them as well.
drop index state.steps_in_flight;
