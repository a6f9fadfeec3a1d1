-- Probes have arrived: from each queue the one that was sent last. If they were long on their way,
-- replies may have been, too.
with proof as (
  select queue, least(to_timestamp(sent_at / 1000), clock_timestamp()) as sent_at
    from unnest(:queues::text[], :sent_ats::float8[]) as arrived (queue, sent_at)
),
before as (
  select path.queue, path.asked_at, path.silent_since, proof.sent_at
    from state.reply_paths as path
    join proof using (queue)
   order by path.queue
     for update of path
),
proven as (
  update state.reply_paths as path
     set proven_at    = greatest(path.proven_at, before.sent_at),
         asked_at     = case when path.asked_at > before.sent_at then path.asked_at end,
         silent_since = case when path.asked_at > before.sent_at then path.silent_since end,
         trouble      = null,
         alerted      = false
    from before
   where path.queue = before.queue
)
select state.remember_outage('replies', min(silent_since))
  from before
 where asked_at <= sent_at
   and asked_at < clock_timestamp() - :tolerated::float8 * interval '1 millisecond'
having count(*) > 0;
