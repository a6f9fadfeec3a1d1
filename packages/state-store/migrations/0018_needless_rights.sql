-- Takes back rights that no operation needs: a test compares what is granted with what the operations of each role run.

-- From the time when one login did what submission and operations do.
revoke select on state.alerts, state.breakers, state.failure_groups, state.failures, state.invariant_violations,
                 state.order_process, state.pauses, state.statistics, state.statistics_gaps,
                 state.statistics_progress, state.task_labels
  from holdfast_submission;
revoke select on sequence state.events_id_seq from holdfast_submission;
revoke select (id, queue, reason, at) on state.dead_letters from holdfast_submission;
revoke select (id, at) on state.outbox from holdfast_submission;
revoke execute on function state.events_between(bigint, bigint, text[]), state.lane_of(json) from holdfast_submission;

-- Columns of tables that the role may read as a whole, and what only other logins do now.
revoke select (id, queue, reason, at) on state.dead_letters from holdfast_operations;
revoke select (id, at) on state.outbox from holdfast_operations;
revoke select on state.installation, state.order_process from holdfast_operations;
revoke execute on function state.make_partitions() from holdfast_operations;

revoke select on state.events from holdfast_scheduler;

revoke update (task_id) on state.business_keys from holdfast_supervisor;
revoke select on state.remotes from holdfast_supervisor;
revoke select (task_id, name, fault_detail) on state.step_payloads from holdfast_supervisor;
