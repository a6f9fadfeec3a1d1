-- Milliseconds until the earliest complete-by time; null when nothing is being processed.
select (extract(epoch from min(complete_by) - statement_timestamp()) * 1000)::float8 as next_in
  from state.steps
 where process_state = 'processing'
   and format <= :format;
