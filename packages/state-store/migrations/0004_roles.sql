-- One role for each service, with what its work needs and no more. Logins are made by whoever runs
-- the database and are granted one of these. Agents have none.
do $$
declare
  service text;
begin
  foreach service in array array['holdfast_submission', 'holdfast_scheduler', 'holdfast_supervisor'] loop
    if not exists (select from pg_roles where rolname = service) then
      begin
        execute format('create role %I nologin', service);
      exception when duplicate_object or unique_violation then
        null; -- Roles belong to the whole server: another database was migrated at the same moment.
      end;
    end if;
  end loop;
end
$$;

grant usage on schema state to holdfast_submission, holdfast_scheduler, holdfast_supervisor;
grant select on state.compatibility, state.workflows
   to holdfast_submission, holdfast_scheduler, holdfast_supervisor;

grant usage on schema orders to holdfast_submission;
grant select, insert on orders.orders, orders.order_lines to holdfast_submission;
grant insert on state.workflows to holdfast_submission;
grant select, insert on state.submissions, state.tasks, state.task_payloads, state.steps, state.events
   to holdfast_submission;
grant update on state.submissions to holdfast_submission;
grant select on state.step_payloads, state.order_process, state.invariant_violations
   to holdfast_submission;

grant select, update on state.tasks to holdfast_scheduler, holdfast_supervisor;
grant select, insert, update on state.steps to holdfast_scheduler, holdfast_supervisor;
grant select, insert on state.events to holdfast_scheduler, holdfast_supervisor;
grant select on state.task_payloads to holdfast_scheduler;
grant select, insert, update on state.step_payloads to holdfast_scheduler;
grant insert on state.rejected_replies, state.dead_letters to holdfast_scheduler;
