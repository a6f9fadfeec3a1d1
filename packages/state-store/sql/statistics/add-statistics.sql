-- Adds counts to those of the same span of time and subject.
insert into state.statistics as kept (resolution, subject, at, submitted, processed, compensated, halted, attempts,
                                      failed_attempts, undone, durations)
select resolution, subject, to_timestamp(at / 1000), submitted, processed, compensated, halted, attempts,
       failed_attempts, undone, array(select value::bigint from json_array_elements_text(durations) as value)
  from unnest(:resolutions::text[], :subjects::text[], :ats::float8[], :submitted::bigint[], :processed::bigint[],
              :compensated::bigint[], :halted::bigint[], :attempts::bigint[], :failed_attempts::bigint[],
              :undone::bigint[], :durations::json[])
    as counted (resolution, subject, at, submitted, processed, compensated, halted, attempts, failed_attempts,
                undone, durations)
 order by resolution, subject, at
    on conflict (resolution, subject, at) do update
   set submitted       = kept.submitted + excluded.submitted,
       processed       = kept.processed + excluded.processed,
       compensated     = kept.compensated + excluded.compensated,
       halted          = kept.halted + excluded.halted,
       attempts        = kept.attempts + excluded.attempts,
       failed_attempts = kept.failed_attempts + excluded.failed_attempts,
       undone          = kept.undone + excluded.undone,
       durations       = state.add_counts(kept.durations, excluded.durations);
