-- Adds counts to those of the same span of time and subject.
insert into state.statistics as kept (resolution, subject, at, submitted, processed, undone, halted, attempts,
                                      failed_attempts, undone_steps, durations)
select resolution, subject, to_timestamp(at / 1000), submitted, processed, undone, halted, attempts,
       failed_attempts, undone_steps, array(select value::bigint from json_array_elements_text(durations) as value)
  from unnest(:resolutions::text[], :subjects::text[], :ats::float8[], :submitted::bigint[], :processed::bigint[],
              :undone::bigint[], :halted::bigint[], :attempts::bigint[], :failed_attempts::bigint[],
              :undone_steps::bigint[], :durations::json[])
    as counted (resolution, subject, at, submitted, processed, undone, halted, attempts, failed_attempts,
                undone_steps, durations)
 order by resolution, subject, at
    on conflict (resolution, subject, at) do update
   set submitted       = kept.submitted + excluded.submitted,
       processed       = kept.processed + excluded.processed,
       undone          = kept.undone + excluded.undone,
       halted          = kept.halted + excluded.halted,
       attempts        = kept.attempts + excluded.attempts,
       failed_attempts = kept.failed_attempts + excluded.failed_attempts,
       undone_steps    = kept.undone_steps + excluded.undone_steps,
       durations       = state.add_counts(kept.durations, excluded.durations);
