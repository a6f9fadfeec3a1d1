-- The Agents and workflows that are paused, the longest first.
select kind, name, actor, reason, paused_at
  from state.pauses
 where resumed_at is null
 order by paused_at
 limit 200;
