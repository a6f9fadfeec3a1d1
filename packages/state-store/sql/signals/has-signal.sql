-- Whether a task has had this very signal.
select exists (select from state.signals
                where task_id = :task_id and name = :name and signal_id = :signal_id) as is_there;
