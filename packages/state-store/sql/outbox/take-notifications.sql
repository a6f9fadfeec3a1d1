-- Takes notices to be sent, for one Scheduler alone: of each destination the oldest of each subject
-- and channel, and all that follow it there. While its lease lasts, no other Scheduler sends what
-- comes after them, so that each reader has them in order. The lease of a Scheduler that died runs
-- out. A destination is the queue of a submitter, or the routing key of an event or alert. Each
-- gets a share of the batch, in the order of their names and from :after on, but none of those in
-- :delayed.
with recursive destination as (
  (select (channel || ' ' || coalesce(address, body ->> 'kind', (body ->> 'event') || '.' || (body ->> 'workflow'))) collate "C" as name
     from state.outbox
    where (channel || ' ' || coalesce(address, body ->> 'kind', (body ->> 'event') || '.' || (body ->> 'workflow'))) collate "C" > :after
      and (channel || ' ' || coalesce(address, body ->> 'kind', (body ->> 'event') || '.' || (body ->> 'workflow'))) collate "C" < :until
    order by 1
    limit 1)
  union all
  select (select (channel || ' ' || coalesce(address, body ->> 'kind', (body ->> 'event') || '.' || (body ->> 'workflow'))) collate "C"
            from state.outbox
           where (channel || ' ' || coalesce(address, body ->> 'kind', (body ->> 'event') || '.' || (body ->> 'workflow'))) collate "C" > destination.name
             and (channel || ' ' || coalesce(address, body ->> 'kind', (body ->> 'event') || '.' || (body ->> 'workflow'))) collate "C" < :until
           order by 1
           limit 1)
    from destination
   where destination.name is not null
),
head as materialized (
  select oldest.subject, oldest.channel
    from destination
   cross join lateral (
     select subject, channel
       from state.outbox as first
      where (channel || ' ' || coalesce(address, body ->> 'kind', (body ->> 'event') || '.' || (body ->> 'workflow'))) collate "C" = destination.name
        and (leased_until is null or leased_until <= statement_timestamp())
        and not exists (
              select 1
                from state.outbox as earlier
               where earlier.subject = first.subject
                 and earlier.channel = first.channel
                 and earlier.id      < first.id)
      order by id
      limit 200
        for no key update skip locked) as oldest
   where destination.name is not null
     and destination.name <> all(:delayed::text[])
   limit 400
),
taken as (
  update state.outbox
     set leased_until = statement_timestamp() + :lease::float8 * interval '1 millisecond'
    from head
   where outbox.subject = head.subject
     and outbox.channel = head.channel
  returning outbox.id, outbox.subject, outbox.channel, outbox.seq, outbox.address,
            outbox.correlation_id, outbox.body, outbox.trace_context
)
select id::text as id, subject, channel, seq, address, correlation_id, body, trace_context,
       channel || ' ' || coalesce(address, body ->> 'kind', (body ->> 'event') || '.' || (body ->> 'workflow')) as destination
  from taken
 order by taken.id;
