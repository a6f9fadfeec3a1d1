-- One task as it stands, who activated its version and who has its workflow wait, and the time.
-- Instants are milliseconds since 1970.
select tasks.workflow, tasks.goal, tasks.process_state, tasks.fault_code,
       (extract(epoch from tasks.created_at) * 1000)::float8  as created_at,
       (extract(epoch from tasks.finished_at) * 1000)::float8 as finished_at,
       -- The limit of the task itself, which only its way forward has.
       case when tasks.goal = 'do' then (extract(epoch from tasks.complete_by) * 1000)::float8 end as complete_by,
       case when tasks.paused_at is not null then
         json_build_object('at', extract(epoch from tasks.paused_at) * 1000,
                           'by', tasks.paused_by, 'reason', tasks.pause_reason)
       end as paused,
       case when pauses.id is not null then
         json_build_object('at', extract(epoch from pauses.paused_at) * 1000,
                           'by', pauses.actor, 'reason', pauses.reason)
       end as workflow_paused,
       case when workflows.activated_at is not null then
         json_build_object('at', extract(epoch from workflows.activated_at) * 1000,
                           'by', workflows.activated_by, 'reason', workflows.activated_reason)
       end as activated,
       (extract(epoch from clock_timestamp()) * 1000)::float8 as now
  from state.tasks
  left join state.workflows on workflows.name = tasks.workflow
  left join state.pauses on pauses.kind = 'workflow' and pauses.name = tasks.workflow
                        and pauses.resumed_at is null
 where tasks.task_id = :task_id;
