-- The lanes of the steps that stored workflows have: their Agents, and their pools. A definition may be anything: it is
-- not parsed yet.
select distinct lane
  from state.workflows
 cross join lateral json_array_elements(
         case when json_typeof(definition -> 'steps') = 'array' then definition -> 'steps' end) as step
 cross join lateral (
         select step ->> 'agent' as lane
         union all
         -- Those of a pool, too: a step may have to stay with one of them.
         select pool.agent
           from json_array_elements_text(
                  case when json_typeof(step -> 'agents') = 'array' then step -> 'agents' end) as pool (agent)
         union all
         select string_agg(pool.agent, '+' order by place)
           from json_array_elements_text(
                  case when json_typeof(step -> 'agents') = 'array' then step -> 'agents' end)
                  with ordinality as pool (agent, place)) as found
 where workflows.format <= :format
   and lane ~ '^[a-z][a-z0-9-]{0,62}([+][a-z][a-z0-9-]{0,62}){0,7}$';
