-- The stored workflows without their definitions, the latest first, with the nouns at which their
-- tasks are submitted.
select name, created_at, stored_by, retired_at, retired_by, retired_reason, by_operators,
       is_active, activated_at, activated_by, activated_reason, awaits_agents,
       array(select collection from state.collections
              where family = regexp_replace(workflows.name, '\.v[0-9]+$', '')
              order by collections.created_at, collection) as collections
  from state.workflows
 order by workflows.created_at desc, name
 limit 10000;
