-- Has all Schedulers leave these services alone for so many milliseconds, as the services have
-- asked.
insert into state.breakers as known (service, state, since, throttled_until, actor, reason)
select service, 'closed', statement_timestamp(),
       statement_timestamp() + throttle * interval '1 millisecond', :actor, 'The remote service asked to be left alone'
  from unnest(:services::text[], :throttles::float8[]) as asked (service, throttle)
 order by service
    on conflict (service) do update
   set throttled_until = greatest(known.throttled_until, excluded.throttled_until);
