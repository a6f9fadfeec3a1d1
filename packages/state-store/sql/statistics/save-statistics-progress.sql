-- Records how far the history is counted, and which ids had no row so far.
with gone as (
  delete from state.statistics_gaps
   where from_id = any (:done_gaps::bigint[])
),
kept as (
  insert into state.statistics_gaps (from_id, to_id, until)
  select from_id, to_id, until::xid8
    from unnest(:gap_froms::bigint[], :gap_tos::bigint[], :gap_untils::text[]) as gap (from_id, to_id, until)
   order by from_id
      on conflict (from_id) do update
     set to_id = excluded.to_id,
         until = excluded.until
)
update state.statistics_progress
   set counted_to = :counted_to::bigint,
       months     = :months::text[],
       pending      = pending + :pending::bigint,
       processing   = processing + :processing::bigint,
       undoing      = undoing + :undoing::bigint,
       halted       = halted + :halted::bigint,
       counted_at = clock_timestamp();
