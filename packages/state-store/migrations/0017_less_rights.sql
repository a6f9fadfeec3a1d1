-- What operators do has a role of its own. The role that faces customers takes orders and reads them; it
-- changes nothing of a task that is there. A submission service of the release before refuses what operators
-- wish until it has been replaced; orders are taken all along.

do $$
begin
  if not exists (select from pg_roles where rolname = 'holdfast_operations') then
    begin
      create role holdfast_operations nologin;
    exception when duplicate_object or unique_violation then
      null; -- Roles belong to the whole server: another database was migrated at the same moment.
    end;
  end if;
end
$$;

grant usage on schema state to holdfast_operations;
grant select on state.compatibility, state.workflows, state.tasks, state.task_payloads, state.steps,
                state.step_payloads, state.events, state.order_process, state.pauses, state.agents,
                state.alerts, state.partitions, state.busy_months
   to holdfast_operations;
grant execute on function state.make_partitions() to holdfast_operations;

-- The columns that a decision changes. Whose task it is, its workflow, a step's Agent and limits, and the
-- attempt's number stay as they are.
grant update (goal, process_state, fault_code, version, updated_at, finished_at, complete_by,
              paused_at, paused_by, pause_reason)
   on state.tasks to holdfast_operations;
grant update (process_state, rank, not_before, failure_count, put_back_count, cool_downs, key_generation,
              admitted, may_have_effect, fault_code, locked_by, start_by, complete_by, token, dispatched_at,
              relay_at)
   on state.steps to holdfast_operations;
-- An undo adds its steps; what is decided is in the history, and others are told.
grant insert on state.steps, state.events, state.alerts, state.outbox to holdfast_operations;
grant insert, update on state.step_payloads, state.pauses to holdfast_operations;

revoke update on state.tasks, state.steps from holdfast_submission;
revoke insert, update on state.step_payloads, state.pauses from holdfast_submission;
