-- Notes that a probe is sent to each of these queues, because of silence that began so long ago,
-- and what the last probes met with. Returns the store's clock, which the probes carry, and for how
-- long the oldest probe has not arrived.
with sending as (
  -- As JSON numbers have it, so that the probe is no older than it says.
  select date_trunc('milliseconds', statement_timestamp()) as now
),
asked as (
  insert into state.reply_paths as path (queue, asked_at, silent_since, trouble)
  select queue, now, now - :silent_for::float8 * interval '1 millisecond', trouble
    from unnest(:queues::text[], :troubles::text[]) as asking (queue, trouble)
   cross join sending
   order by queue
      on conflict (queue) do update
     set asked_at     = coalesce(path.asked_at, excluded.asked_at),
         silent_since = least(path.silent_since, excluded.silent_since),
         trouble      = excluded.trouble
  returning queue, asked_at
)
select queue, (extract(epoch from now) * 1000)::float8 as now,
       (extract(epoch from now - asked_at) * 1000)::float8 as waited
  from asked
 cross join sending;
