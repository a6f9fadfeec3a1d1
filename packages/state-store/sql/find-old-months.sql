-- The months that ended longer than :keep milliseconds ago. One with an unfinished task has to stay; one
-- whose last task finished later than that is not over yet.
select month::text as month,
       exists (select from state.tasks
                where task_id >= first_id and task_id < end_id
                  and finished_at is null) as has_unfinished,
       exists (select from state.tasks
                where task_id >= first_id and task_id < end_id
                  and finished_at > clock_timestamp() - :keep::float8 * interval '1 millisecond') as has_recent
  from state.partitions
 where end_id <= state.first_id_of(clock_timestamp() - :keep::float8 * interval '1 millisecond')
 order by partitions.month;
