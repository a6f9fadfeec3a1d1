-- The lanes of the steps that stored workflows have: their Agents, and their pools.
select distinct lane
  from state.workflows
 cross join lateral unnest(lanes) as lane
 where workflows.format <= :format;
