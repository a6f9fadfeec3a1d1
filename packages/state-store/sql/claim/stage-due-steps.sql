-- Makes steps claimable whose rest (backoff, cool-down) is over, and says when the next one's is,
-- and what else there is to do. With `:since` at minus infinity it looks at everything, and tells
-- how many entries of indexes that took: while a transaction holds an old snapshot, they are full
-- of dead entries. Otherwise it looks only for what should have rested until `:since` or later.
-- Tasks are looked up by an array, so that PostgreSQL 18 does not crash (decision 0086).
with recursive rested as materialized (
  select task_id, name,
         (select fairness_key is not null from state.tasks
           where tasks.task_id = any (array_fill(steps.task_id, array[1]))
             and tasks.task_id between :first_id and :last_id) as has_key
    from state.steps
   where process_state = 'pending'
     and rank is null
     and task_id between :first_id and :last_id
     and not_before between to_timestamp(:since::float8 / 1000) and statement_timestamp()
   order by not_before
   limit 500
     for no key update skip locked
),
promoted as (
  update state.steps
     set rank = steps.not_before
    from rested
   where not rested.has_key
     and steps.task_id = rested.task_id
     and steps.name    = rested.name
     and steps.task_id between :first_id and :last_id
  returning steps.lane, steps.band, steps.rank
),
-- From each due step to the next, and past what lies between them once: the first twenty of each
-- band of a lane, or as many as are not recent, and the first of those that have a fairness key.
due as (
  (select lane, band, rank, 1 as nth
     from state.steps
    where process_state = 'pending'
      and rank is not null
      and task_id between :first_id and :last_id
      and format <= :format
      and :since::float8 = '-infinity'
    order by lane, band, rank
    limit 1)
  union all
  select next.lane, next.band, next.rank,
         case when (next.lane, next.band) = (due.lane, due.band) then due.nth + 1 else 1 end
    from due
   cross join lateral (
     select lane, band, rank
       from state.steps
      where process_state = 'pending'
        and rank is not null
        and task_id between :first_id and :last_id
        and format <= :format
        and (lane, band, rank) > (
              due.lane, due.band,
              case when due.nth < 20 and due.rank < statement_timestamp() - interval '2 seconds' then due.rank
                   when due.rank < '3000-01-01 00:00:00+00' then '2999-12-31 23:59:59.999999+00'
                   else 'infinity' end)
      order by lane, band, rank
      limit 1) as next
)
select (select sum(pg_stat_get_xact_tuples_returned(indexrelid))
          from pg_index join pg_inherits on inhrelid = indrelid
         where inhparent = 'state.steps'::regclass)::float8 as read_before,
       (select coalesce(json_agg(json_build_object('lane', lane, 'band', band, 'rank', extract(epoch from rank) * 1000,
                                                   'open', nth = 20)), '[]') from due) as due,
       (select coalesce(json_agg(json_build_object('lane', lane, 'band', band, 'rank', extract(epoch from rank) * 1000)),
                        '[]')
          from promoted) as promoted,
       (select coalesce(json_agg(json_build_object('taskId', task_id, 'name', name)), '[]')
          from rested where has_key) as fair,
       (select count(*) = 500 from rested) as is_full,
       (select (extract(epoch from not_before - statement_timestamp()) * 1000)::float8
          from state.steps
         where process_state = 'pending'
           and rank is null
           and task_id between :first_id and :last_id
           and not_before > statement_timestamp()
           and not_before < 'infinity'
         order by not_before
         limit 1) as next_in,
       (select (extract(epoch from min(resend_at) - statement_timestamp()) * 1000)::float8
          from (select resend_at
                  from state.steps
                 where process_state = 'processing'
                   and confirmed_at is null
                   and task_id between :first_id and :last_id
                   and :since::float8 = '-infinity'
                 order by complete_by) as unconfirmed) as resend_in,
       :since::float8 = '-infinity'
         and exists (select from state.outbox) as has_notifications,
       exists (select from state.pauses
                where kind = 'workflow' and released_at is null) as has_pauses,
       exists (select from state.breakers
                where state <> 'closed' or throttled_until > statement_timestamp()) as has_breakers,
       -- Read last.
       (select sum(pg_stat_get_xact_tuples_returned(indexrelid))
          from pg_index join pg_inherits on inhrelid = indrelid
         where inhparent = 'state.steps'::regclass)::float8 as read_after,
       (extract(epoch from statement_timestamp()) * 1000)::float8 as now,
       (extract(epoch from clock_timestamp() - statement_timestamp()) * 1000)::float8 as took;
