-- The Agents that stored workflows ask for. A definition may be anything: it is not parsed yet.
select distinct step ->> 'agent' as lane
  from state.workflows
 cross join lateral json_array_elements(
         case when json_typeof(definition -> 'steps') = 'array' then definition -> 'steps' end) as step
 where workflows.format <= :format
   and step ->> 'agent' ~ '^[a-z][a-z0-9-]{0,62}$';
