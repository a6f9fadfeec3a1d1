-- Ranks steps that are due and have a fairness key, in the order in which they are given: start-time fair queueing,
-- in virtual time, which begins in the year 3000. From one step of a key to its next it is 1 s divided by the
-- weight. A key goes on from its last step, or from the head of the queue if that is further. If no step is due,
-- all keys begin where the furthest has got to. `rankFairSteps` of the domain has the same.
--
-- Keys are locked in order, and until the caller commits: it has nothing left to do but to claim. A step that is
-- locked, or was ranked meanwhile, is skipped. The head is searched from where it was some time ago, because before
-- it an old snapshot may keep the entries of claimed steps. Locked rows are looked up by an array, so that PostgreSQL 18
-- does not crash (decision 0086).
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
  insert into state.fairness_keys as known (lane, band, key, next, taken)
  select lane, band, key, floor + taken * interval '1 microsecond', taken * interval '1 microsecond'
    from (select lane, band, key, taken,
                 (select floor from queue
                   where queue.lane = of_key.lane and queue.band = of_key.band) as floor
            from (select lane, band, key, sum(stride)::float8 as taken
                    from due
                   group by lane, band, key) as of_key
           union all
          select lane, band, '', 0, floor from queue where known_from is null) as added
   order by lane, band, key
      on conflict (lane, band, key) do update
     set next  = greatest(known.next, excluded.next - excluded.taken) + excluded.taken,
         taken = excluded.taken
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
  select task_id, name,
         (starts.of_key ->> (lane || ' ' || band || ' ' || key))::timestamptz
           + (sum(stride) over (partition by lane, band, key order by place) - stride) * interval '1 microsecond' as rank
    from due
   cross join starts
   limit 100000
)
update state.steps
   set rank = ranked.rank
  from ranked
 where steps.task_id = ranked.task_id
   and steps.name    = ranked.name
   and steps.task_id between :first_id and :last_id
returning steps.lane, steps.band::integer, (extract(epoch from steps.rank) * 1000)::float8 as rank;
