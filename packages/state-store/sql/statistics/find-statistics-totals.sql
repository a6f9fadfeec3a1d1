-- Counts of each subject of a kind (those whose names begin so), summed over spans of time. At most
-- 200 subjects.
with recursive subjects as (
  (select subject
     from state.statistics
    where resolution = 'day' and subject >= :prefix::text
    order by subject
    limit 1)
  union all
  select (select statistics.subject
            from state.statistics
           where resolution = 'day' and statistics.subject > subjects.subject
           order by statistics.subject
           limit 1)
    from subjects
   where starts_with(subjects.subject, :prefix::text) and not :is_one::boolean
),
known as (
  select subject
    from subjects
   where starts_with(subject, :prefix::text)
   limit case when :is_one::boolean then 1 else 200 end
),
kept as materialized (
  select known.subject, submitted, processed, undone, halted, attempts, failed_attempts, undone_steps, durations
    from known
   cross join unnest(:resolutions::text[], :froms::float8[], :untils::float8[]) as span (resolution, low, high)
   cross join lateral (
     select *
       from state.statistics
      where statistics.resolution = span.resolution
        and statistics.subject = known.subject
        and at >= to_timestamp(span.low / 1000)
        and at < to_timestamp(span.high / 1000)
   ) as of_subject
),
histograms as (
  select subject, json_agg(count order by place) as durations
    from (select kept.subject, place, sum(count)::float8 as count
            from kept
           cross join lateral unnest(kept.durations) with ordinality as durations (count, place)
           group by kept.subject, place) as summed
   group by subject
)
select sums.*, coalesce(histograms.durations, '[]') as durations
  from (select subject, sum(submitted)::float8 as submitted, sum(processed)::float8 as processed,
               sum(undone)::float8 as undone, sum(halted)::float8 as halted,
               sum(attempts)::float8 as attempts, sum(failed_attempts)::float8 as failed_attempts,
               sum(undone_steps)::float8 as undone_steps
          from kept
         group by subject) as sums
  left join histograms on histograms.subject = sums.subject
 order by sums.subject;
