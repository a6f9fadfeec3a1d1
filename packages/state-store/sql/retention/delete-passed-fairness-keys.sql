-- Deletes fairness keys that have nothing to be remembered for, because the queue has passed them:
-- their next step begins at its head in any case. Where no step is due, the key that has got
-- furthest stays. Returns how many.
with queue as materialized (
  select hint.lane, hint.band, coalesce(
           (select rank
              from state.steps
             where process_state = 'pending'
               and rank is not null
               and task_id between :first_id and :last_id
               and steps.lane = hint.lane
               and steps.band = hint.band
               and rank >= hint.next
             order by rank
             limit 1),
           (select next from state.fairness_keys as known
             where known.lane = hint.lane and known.band = hint.band
             order by next desc
             limit 1)) as floor
    from state.fairness_keys as hint
   where key = ''
   limit 10000
),
passed as materialized (
  select known.lane, known.band, known.key
    from queue
   cross join lateral (
     select lane, band, key
       from state.fairness_keys as known
      where known.lane = queue.lane
        and known.band = queue.band
        and known.next < queue.floor
        and key <> ''
      order by next
      limit :batch
        for update skip locked
   ) as known
   limit :batch
),
deleted as (
  delete from state.fairness_keys as known
   using passed
   where known.lane = passed.lane
     and known.band = passed.band
     and known.key  = passed.key
  returning 1
)
select count(*)::integer as deleted from deleted;
