-- Deletes finished tasks of an old month that has to stay, at most so many; returns how many.
select state.delete_finished_tasks(:month::date, :keep::float8 * interval '1 millisecond', :batch) as deleted;
