-- Notes that a process is there, and forgets those that have been silent for a day.
with silent as (
  delete from state.instances
   where seen_at < (select state.trusted_now()) - interval '1 day'
)
insert into state.instances (service, instance, version, slots, takes_enqueued, inbox_channel, takes_unknown_versions,
                             format)
values (:service, :instance, :version, :slots::integer, :takes_enqueued::boolean, :inbox_channel::text,
        :takes_unknown_versions::boolean, :format::smallint)
    on conflict (service, instance) do update
   set seen_at                = clock_timestamp(),
       slots                  = excluded.slots,
       takes_enqueued         = excluded.takes_enqueued,
       inbox_channel          = excluded.inbox_channel,
       takes_unknown_versions = excluded.takes_unknown_versions,
       format                 = excluded.format;
