-- Ranks steps that are due and have a fairness key, in the order in which they are given:
-- start-time fair queueing, in virtual time, which begins in the year 3000. From one step of a key
-- to its next it is 1 s divided by the weight. A key goes on from its last step, or from the head
-- of the queue if that is further. If no step is due, all keys begin where the furthest has got to.
-- `rankFairSteps` of the domain has the same.
--
-- `next` of a key counts every step that was ranked, also those that were cancelled or parked
-- since. So it only says how late the key goes on: that is one stride after its last step that is
-- due or, without one, after the head, and a moment before what other keys have there. A head that
-- another transaction is about to claim is passed over: steps of this key behind it may have been
-- claimed already. If another transaction has counted the key on since this statement began, its
-- steps may not be seen here, and `next` alone counts.
--
-- Keys are locked in order, and until the caller commits: it has nothing left to do but to claim. A
-- step that is locked, or was ranked meanwhile, is skipped. The head is searched from where it was
-- some time ago, because before it an old snapshot may keep the entries of claimed steps. Locked
-- rows are looked up by an array, so that PostgreSQL 18 does not crash (decision 0086).
with due as materialized (
  select found.task_id, found.name, found.lane, found.band, task.fairness_key as key, asked.place,
         1000000 / task.fairness_weight as stride
    from unnest(:task_ids::uuid[], :names::text[]) with ordinality as asked (task_id, name, place)
   cross join lateral (
     select task_id, name, lane, band
       from state.steps
      where steps.task_id = any (array_fill(asked.task_id, array[1]))
        and steps.name    = asked.name
        and task_id between :first_id and :last_id
        and process_state = 'pending'
        and rank is null
        and not_before <= clock_timestamp()
        for no key update skip locked
   ) as found
   cross join lateral (
     select fairness_key, fairness_weight
       from state.tasks
      where tasks.task_id = found.task_id
        and task_id between :first_id and :last_id
        -- With the limit the planner does not look for tasks with a key first.
      limit 1
   ) as task
   where task.fairness_key is not null
   limit 100000
),
queue as materialized (
  select lane, band, floor, known_from
    from (select distinct lane, band from due) as queue
   cross join lateral (
     select (select next from state.fairness_keys as known
              where known.lane = queue.lane and known.band = queue.band and key = '') as known_from) as hint
   cross join lateral (
     select coalesce(
       (select rank
          from state.steps
         where process_state = 'pending'
           and rank is not null
           and task_id between :first_id and :last_id
           and steps.lane = queue.lane
           and steps.band = queue.band
           and rank >= coalesce(known_from, '3000-01-01 00:00:00+00')
         order by rank
         limit 1),
       (select next from state.fairness_keys as known
         where known.lane = queue.lane and known.band = queue.band
         order by next desc
         limit 1),
       '3000-01-01 00:00:00+00') as floor) as head
   limit 10000
),
counted as (
  insert into state.fairness_keys as known (lane, band, key, next, taken, stride)
  select lane, band, key, start + taken, taken, stride
    from (select lane, band, key, taken, stride,
                 greatest(floor, case when next > floor + stride then least(next, coalesce(
                   (select rank
                      from state.steps
                     where process_state = 'pending'
                       and rank is not null
                       and task_id between :first_id and :last_id
                       and steps.lane = of_queue.lane
                       and steps.band = of_queue.band
                       and steps.fairness_key = of_queue.key collate "C"
                     order by rank desc
                     limit 1) + stride,
                   (select rank
                      from state.steps
                     where process_state = 'pending'
                       and rank is not null
                       and task_id between :first_id and :last_id
                       and steps.lane = of_queue.lane
                       and steps.band = of_queue.band
                       and rank >= floor
                     order by rank
                     limit 1
                       for share skip locked) + stride - interval '10 microseconds')) else next end) as start
            from (select of_key.lane, of_key.band, of_key.key, taken, floor, next,
                         -- What an earlier release has counted may have had the longest there is.
                         greatest(of_key.stride, case when next is not null then coalesce(known_stride, '1 second') end)
                           as stride
                    from (select lane, band, key, sum(stride) * interval '1 microsecond' as taken,
                                 max(stride) * interval '1 microsecond' as stride
                            from due
                           group by lane, band, key) as of_key
                   cross join lateral (
                     select (select floor from queue
                              where queue.lane = of_key.lane and queue.band = of_key.band) as floor) as head
                    left join lateral (
                     select next, stride as known_stride
                       from state.fairness_keys
                      where fairness_keys.lane = of_key.lane
                        and fairness_keys.band = of_key.band
                        and fairness_keys.key  = of_key.key
                      limit 1) as clock on true) as of_queue
           union all
          select lane, band, '', interval '0', null, floor from queue where known_from is null) as added
   order by lane, band, key
      on conflict (lane, band, key) do update
     set next   = case when known.next = (select seen.next from state.fairness_keys as seen
                                           where seen.lane = known.lane and seen.band = known.band
                                             and seen.key = known.key)
                       then excluded.next
                       else greatest(known.next, excluded.next - excluded.taken) + excluded.taken end,
         taken  = excluded.taken,
         stride = greatest(known.stride, excluded.stride)
  returning lane, band, key, next - taken as start
),
-- Best effort, and rarely: no transaction waits for this row.
passed as materialized (
  select known.lane, known.band, queue.floor
    from queue
   cross join lateral (
     select lane, band
       from state.fairness_keys as hint
      where hint.lane = queue.lane
        and hint.band = queue.band
        and hint.key  = ''
        and hint.next < queue.floor - interval '1000 seconds'
        for no key update skip locked
   ) as known
   limit 10000
),
noted as (
  update state.fairness_keys as hint
     set next = passed.floor
    from passed
   where hint.lane = passed.lane
     and hint.band = passed.band
     and hint.key  = ''
),
-- By a lookup: the planner may only nest loops, and would read all of `counted` for each step.
starts as materialized (
  select jsonb_object_agg(lane || ' ' || band || ' ' || key, start) as of_key from counted
),
ranked as materialized (
  select task_id, name, key,
         (starts.of_key ->> (lane || ' ' || band || ' ' || key))::timestamptz
           + (sum(stride) over (partition by lane, band, key order by place) - stride) * interval '1 microsecond' as rank
    from due
   cross join starts
   limit 100000
)
update state.steps
   set rank = ranked.rank, fairness_key = ranked.key
  from ranked
 where steps.task_id = ranked.task_id
   and steps.name    = ranked.name
   and steps.task_id between :first_id and :last_id
returning steps.lane, steps.band::integer, (extract(epoch from steps.rank) * 1000)::float8 as rank;
