-- Counts of these subjects together between two instants, in spans of equal width.
with kept as materialized (
  select (floor(extract(epoch from at) * 1000 / :bucket_ms::float8) * :bucket_ms::float8)::float8 as bucket,
         submitted, processed, undone, halted, attempts, failed_attempts, undone_steps, durations
    from unnest(:subjects::text[]) as wanted (subject)
   cross join lateral (
     select *
       from state.statistics
      where resolution = :resolution
        and statistics.subject = wanted.subject
        and at >= to_timestamp(:from::float8 / 1000)
        and at < to_timestamp(:until::float8 / 1000)
   ) as of_subject
),
histograms as (
  select bucket, json_agg(count order by place) as durations
    from (select kept.bucket, place, sum(count)::float8 as count
            from kept
           cross join lateral unnest(kept.durations) with ordinality as durations (count, place)
           group by kept.bucket, place) as summed
   group by bucket
)
select sums.*, coalesce(histograms.durations, '[]') as durations
  from (select bucket as at, sum(submitted)::float8 as submitted, sum(processed)::float8 as processed,
               sum(undone)::float8 as undone, sum(halted)::float8 as halted,
               sum(attempts)::float8 as attempts, sum(failed_attempts)::float8 as failed_attempts,
               sum(undone_steps)::float8 as undone_steps
          from kept
         group by bucket) as sums
  left join histograms on histograms.bucket = sums.at
 order by sums.at;
