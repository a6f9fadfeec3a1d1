-- Pauses workflows whose definitions cannot be used, unless they are paused already.
insert into state.pauses (kind, name, actor, reason)
select 'workflow', unusable.name, :actor, unusable.reason
  from unnest(:names::text[], :reasons::text[]) as unusable (name, reason)
 order by name
    on conflict (kind, name) where resumed_at is null do nothing;
