-- Takes signals of the inbox for one process alone until its lease ends, as claim-enqueued.sql
-- takes submissions. A signal whose task waits in the inbox itself is left there.
with recursive callers as (
  (select submitter from state.signal_inbox order by submitter limit 1)
  union all
  select (select min(signal_inbox.submitter) from state.signal_inbox where signal_inbox.submitter > callers.submitter)
    from callers
   where callers.submitter is not null
),
free as materialized (
  select mine.number, mine.bytes, row_number() over (partition by callers.submitter order by mine.number) as turn
    from callers
   cross join lateral (
     select number, bytes
       from state.signal_inbox
      where signal_inbox.submitter = callers.submitter
        and (leased_until is null
             or leased_until < clock_timestamp()
             or leased_until > clock_timestamp()
                               + least(claims, :most_leases::smallint) * :lease::float8 * interval '1 millisecond')
        and not exists (select from state.inbox where inbox.task_id = signal_inbox.task_id)
      order by number
      limit :most
        for update skip locked
   ) as mine
),
taken as materialized (
  select number
    from (select number,
                 sum(bytes) over (order by turn, number) - bytes as before,
                 row_number() over (order by turn, number) as place
            from free) as sized
   where before < :most_bytes
     and place <= :most
)
update state.signal_inbox
   set leased_until = clock_timestamp()
                      + least(claims + 1, :most_leases::smallint) * :lease::float8 * interval '1 millisecond',
       claims       = least(claims + 1, 1000)
  from taken
 where signal_inbox.number = taken.number
returning signal_inbox.number::text as number, task_id, name, signal_id, payload::text as payload, reply_to,
          correlation_id, submitter, application, sent_by, claims;
