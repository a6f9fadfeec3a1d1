-- Pauses an Agent or a workflow; no row when it is paused already.
insert into state.pauses (kind, name, actor, reason)
values (:kind, :name, :actor, :reason)
    on conflict (kind, name) where resumed_at is null do nothing
returning id::text as id;
