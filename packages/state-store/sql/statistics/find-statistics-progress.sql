-- How far the history is counted, and the id of the last row that was written to it.
select counted_to::float8 as counted_to, counted_at,
       coalesce((select case when is_called then last_value else 0 end from state.events_id_seq), 0)::float8 as last_id,
       exists (select from state.statistics_gaps
                where until is null
                   or until <= pg_snapshot_xmin(pg_current_snapshot())
                   or from_id > counted_to - :gap_span::bigint) as has_gaps
  from state.statistics_progress;
