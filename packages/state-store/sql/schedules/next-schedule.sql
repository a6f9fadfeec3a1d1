-- In how many milliseconds the next schedule is due; null: none is.
select (extract(epoch from min(due_at) - statement_timestamp()) * 1000)::float8 as next_in,
       (extract(epoch from statement_timestamp()) * 1000)::float8 as now
  from state.schedules
 where due_at is not null;
