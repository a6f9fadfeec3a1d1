-- An operator opens a breaker, until an operator closes it. No row: it is held open already.
insert into state.breakers as known (service, state, since, open_until, actor, reason)
values (:service, 'open', clock_timestamp(), 'infinity', :actor, :reason)
    on conflict (service) do update
   set state         = 'open',
       since         = case when known.state = 'open' then known.since else excluded.since end,
       open_until    = excluded.open_until,
       actor         = excluded.actor,
       reason        = excluded.reason,
       probe_task_id = null,
       probe_step    = null,
       probe_token   = null
 where known.open_until is distinct from 'infinity'
returning service;
