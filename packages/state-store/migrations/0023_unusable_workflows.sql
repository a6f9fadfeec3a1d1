-- Whoever meets a workflow whose definition cannot be used pauses it; the Scheduler, which keeps pauses, resumes it.

-- phase: online
grant insert on state.pauses to holdfast_scheduler, holdfast_supervisor;

-- As before, but a definition may be anything: what is no step is left out.
create or replace view state.step_definitions as
select workflows.name                         as workflow,
       step ->> 'name'                        as step,
       step ->> 'agent'                       as agent,
       case when json_typeof(step -> 'after') = 'array' then step -> 'after' else '[]' end as after,
       json_typeof(step -> 'undo') = 'object' as has_undo,
       case when step ->> 'completeWithin' ~ '^[0-9]{1,9}$|^[01][0-9]{9}$'
            then (step ->> 'completeWithin')::integer end as complete_within,
       case when step -> 'undo' ->> 'completeWithin' ~ '^[0-9]{1,9}$|^[01][0-9]{9}$'
            then (step -> 'undo' ->> 'completeWithin')::integer end as undo_complete_within
  from state.workflows
 cross join lateral json_array_elements(
         case when json_typeof(definition -> 'steps') = 'array' then definition -> 'steps' end) as step
 where workflows.format = 1
   and step ->> 'agent' ~ '^[a-z][a-z0-9-]{0,62}$';

update state.compatibility set schema_version = 8;
