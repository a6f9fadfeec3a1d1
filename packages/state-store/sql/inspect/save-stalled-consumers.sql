-- Keeps what the consumers of one Scheduler fail at, instead of what they failed at before; forgets
-- those of Schedulers that have been silent for a day.
with stalledConsumer as (
  select *
    from unnest(:queues::text[], :messages::integer[], :failures::integer[], :for_ms::float8[],
                :errors::text[])
      as stalledConsumer (queue, messages, failures, for_ms, error)
),
forgotten as (
  delete from state.stalled_consumers
   where seen_at < (select state.trusted_now()) - interval '1 day'
      or (instance = :instance and queue not in (select queue from stalledConsumer))
)
insert into state.stalled_consumers (instance, queue, messages, failures, since, error)
select :instance, queue, messages, failures,
       clock_timestamp() - for_ms * interval '1 millisecond', error
  from stalledConsumer
 order by queue
    on conflict (instance, queue) do update
   set messages = excluded.messages,
       failures = excluded.failures,
       since    = excluded.since,
       error    = excluded.error,
       seen_at  = clock_timestamp();
