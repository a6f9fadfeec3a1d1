-- The workflows that become active as soon as their Agents are known.
select name, stored_by
  from state.workflows
 where awaits_agents
 order by created_at, name
 limit 1000;
