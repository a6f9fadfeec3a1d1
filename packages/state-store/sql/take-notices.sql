-- Takes notices to be sent, for one Scheduler alone: the oldest of each subject and channel, and all
-- that follow it there. While they are in its hands nobody else sends what comes after them, so that each
-- reader has them in order. A Scheduler that dies with them gives them up when its lease is over.
with head as materialized (
  select subject, channel
    from state.outbox as first
   where (leased_until is null or leased_until <= statement_timestamp())
     and not exists (
           select 1
             from state.outbox as earlier
            where earlier.subject = first.subject
              and earlier.channel = first.channel
              and earlier.id      < first.id)
   order by id
   limit 200
     for no key update skip locked
),
taken as (
  update state.outbox
     set leased_until = statement_timestamp() + :lease::float8 * interval '1 millisecond'
    from head
   where outbox.subject = head.subject
     and outbox.channel = head.channel
  returning outbox.id, outbox.subject, outbox.channel, outbox.seq, outbox.address,
            outbox.correlation_id, outbox.body
)
select id::text as id, subject, channel, seq, address, correlation_id, body
  from taken
 order by taken.id;
