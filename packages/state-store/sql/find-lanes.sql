-- The Agents that stored workflows ask for.
select distinct step ->> 'agent' as lane
  from state.workflows
 cross join lateral json_array_elements(definition -> 'steps') as step
 where workflows.format <= :format;
