-- The lanes of a workflow are found when it is stored, and not by parsing all definitions each second: see decision 0170.

-- phase: locks state.workflows
-- The lanes of the steps of a definition: their Agents, and their pools. A definition may be anything; one that no
-- process can use has none.
create function state.lanes_in(definition json) returns text[]
  language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  return array(
    select distinct lane
      from json_array_elements(
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
     where lane ~ '^[a-z][a-z0-9-]{0,62}([+][a-z][a-z0-9-]{0,62}){0,7}$'
     order by lane);
exception
  -- Text that Postgres cannot hold.
  when data_exception then return '{}';
end
$$;

alter table state.workflows add column lanes text[] not null generated always as (state.lanes_in(definition)) stored;

update state.compatibility set schema_version = greatest(schema_version, 27);
