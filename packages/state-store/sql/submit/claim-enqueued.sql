-- Takes submissions of the inbox for one process alone until its lease ends: so many, and of so
-- many bytes, but one at least. Callers take turns, and each has its oldest first. A process that
-- died leaves them to others, and what is taken in vain again and again rests for longer each time.
-- A lease that ends later than one of now would was given before the clock was set back.
with recursive callers as (
  (select submitter from state.inbox order by submitter limit 1)
  union all
  select (select min(inbox.submitter) from state.inbox where inbox.submitter > callers.submitter)
    from callers
   where callers.submitter is not null
),
free as materialized (
  select mine.task_id, mine.bytes, row_number() over (partition by callers.submitter order by mine.task_id) as turn
    from callers
   cross join lateral (
     select task_id, bytes
       from state.inbox
      where inbox.submitter = callers.submitter
        and (leased_until is null
             or leased_until < clock_timestamp()
             or leased_until > clock_timestamp()
                               + least(claims, :most_leases::smallint) * :lease::float8 * interval '1 millisecond')
      order by task_id
      limit :most
        for update skip locked
   ) as mine
),
taken as materialized (
  select task_id
    from (select task_id,
                 sum(bytes) over (order by turn, task_id) - bytes as before,
                 row_number() over (order by turn, task_id) as place
            from free) as sized
   where before < :most_bytes
     and place <= :most
)
update state.inbox
   set leased_until = clock_timestamp()
                      + least(claims + 1, :most_leases::smallint) * :lease::float8 * interval '1 millisecond',
       claims       = least(claims + 1, 1000)
  from taken
 where inbox.task_id = taken.task_id
returning inbox.task_id, submission::text as submission, replay_of, trace_context, submitter, application, claims;
