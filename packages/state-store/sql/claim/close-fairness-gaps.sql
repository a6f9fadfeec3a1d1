-- Closes the gaps that cancelled, parked and requeued steps leave before and between others of
-- their fairness key. Where the first due step of a key stands later than one stride after the head
-- of its queue, or the second later than one stride after the first, the first 500 of the key are
-- put no further than a stride from one to the next. `closeFairnessGaps` of the domain has the
-- same. Goes from each key to the next, the first thousand after the one that is given; says which
-- was the last, if there may be more.
--
-- Only steps that are as they were seen are moved, so that no two Schedulers move one twice. Steps
-- are looked up by an array, so that PostgreSQL 18 does not crash (decision 0086).
with recursive keyed as (
  (select lane, band, fairness_key as key, rank
     from state.steps
    where process_state = 'pending'
      and rank is not null
      and fairness_key is not null
      and task_id between :first_id and :last_id
      and (lane, band, fairness_key) > (:lane::text, :band::smallint, :key::text collate "C")
    order by lane, band, fairness_key, rank
    limit 1)
  union all
  select next.lane, next.band, next.key, next.rank
    from keyed
   cross join lateral (
     select lane, band, fairness_key as key, rank
       from state.steps
      where process_state = 'pending'
        and rank is not null
        and fairness_key is not null
        and task_id between :first_id and :last_id
        and (lane, band, fairness_key) > (keyed.lane, keyed.band, keyed.key)
      order by lane, band, fairness_key, rank
      limit 1) as next
),
first as materialized (
  select lane, band, key, rank from keyed limit 1000
),
queue as materialized (
  select lane, band,
         (select rank
            from state.steps
           where process_state = 'pending'
             and rank is not null
             and task_id between :first_id and :last_id
             and steps.lane = queue.lane
             and steps.band = queue.band
             and rank >= coalesce((select next from state.fairness_keys as hint
                                    where hint.lane = queue.lane and hint.band = queue.band and key = ''),
                                  '3000-01-01 00:00:00+00')
           order by rank
           limit 1) as head
    from (select distinct lane, band from first) as queue
   limit 10000
),
suspect as materialized (
  select lane, band, key, rank, stride, second > rank + stride as is_torn
    from (select lane, band, key, rank,
                 (select head from queue where queue.lane = first.lane and queue.band = first.band) as head,
                 coalesce((select stride from state.fairness_keys as known
                            where known.lane = first.lane and known.band = first.band and known.key = first.key),
                          '1 second') as stride,
                 (select rank
                    from state.steps
                   where process_state = 'pending'
                     and rank is not null
                     and task_id between :first_id and :last_id
                     and steps.lane = first.lane
                     and steps.band = first.band
                     and steps.fairness_key = first.key
                     and steps.rank > first.rank
                   order by rank
                   limit 1) as second
            from first) as expected
   where rank > head + stride
      or second > rank + stride
   limit 100
),
-- The first that no other transaction is about to claim: steps behind the others may have been
-- claimed already.
free_queue as materialized (
  select lane, band,
         (select rank
            from state.steps
           where process_state = 'pending'
             and rank is not null
             and task_id between :first_id and :last_id
             and steps.lane = queue.lane
             and steps.band = queue.band
             and rank >= queue.head
           order by rank
           limit 1
             for share skip locked) as head
    from queue
   where (lane, band) in (select lane, band from suspect)
   limit 10000
),
torn as materialized (
  select lane, band, key, stride, case when rank > latest then latest - interval '10 microseconds' else rank end as target
    from (select lane, band, key, rank, stride, is_torn,
                 (select head from free_queue where free_queue.lane = suspect.lane and free_queue.band = suspect.band)
                   + stride as latest
            from suspect) as expected
   where rank > latest
      or is_torn
   limit 100
),
-- Each goes no further than a stride after the place of the one before.
behind as materialized (
  select task_id, name, rank,
         place * stride + min(least(rank, case when place = 0 then target end) - place * stride)
                            over (partition by lane, band, key order by place) as closed
    from (select step.task_id, step.name, step.rank, torn.lane, torn.band, torn.key, torn.stride, torn.target,
                 row_number() over (partition by torn.lane, torn.band, torn.key order by step.rank) - 1 as place
            from torn
           cross join lateral (
             select task_id, name, rank
               from state.steps
              where process_state = 'pending'
                and rank is not null
                and task_id between :first_id and :last_id
                and steps.lane = torn.lane
                and steps.band = torn.band
                and steps.fairness_key = torn.key
              order by rank
              limit 500) as step
           limit 2000) as placed
),
picked as materialized (
  select found.task_id, found.name, behind.closed as rank
    from behind
   cross join lateral (
     select task_id, name
       from state.steps
      where steps.task_id = any (array_fill(behind.task_id, array[1]))
        and steps.name    = behind.name
        and steps.rank    = behind.rank
        and process_state = 'pending'
        and task_id between :first_id and :last_id
        for no key update skip locked
   ) as found
   where behind.closed < behind.rank
   limit 2000
),
moved as (
  update state.steps
     set rank = picked.rank
    from picked
   where steps.task_id = picked.task_id
     and steps.name    = picked.name
     and steps.task_id between :first_id and :last_id
  returning steps.lane, steps.band::integer, (extract(epoch from steps.rank) * 1000)::float8 as rank
)
select (select coalesce(json_agg(json_build_object('lane', lane, 'band', band, 'rank', rank)), '[]') from moved) as moved,
       (select json_build_object('lane', lane, 'band', band, 'key', key) from first offset 999) as last;
