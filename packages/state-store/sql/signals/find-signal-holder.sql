-- The task of a business key that a signal is for: an open one, or one that has had this very
-- signal.
select business_keys.task_id
  from state.business_keys
  join state.tasks on tasks.task_id = business_keys.task_id
 where business_keys.tenant = :tenant
   and business_keys.family = :family
   and business_keys.key = :key
   and (tasks.finished_at is null
        or exists (select from state.signals
                    where signals.task_id = tasks.task_id and name = :name and signal_id = :signal_id));
