-- Locks a task, and says how a step of it stands that people decide; no state: there is no such
-- task, or it has no such step. See `state.lock_approval`.
select state, fault_code, is_over from state.lock_approval(:task_id::uuid, :step);
