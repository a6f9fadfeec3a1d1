-- Has a Scheduler look at these waits later: their tasks were locked, or cannot be decided about,
-- or people were reminded. Without a time, a wait was due by a signal that another wait has taken:
-- it waits on. One that is held up is looked at once its task goes on; it is its deadline that is
-- held up, or what people have decided, for a signal would have ended it.
update state.waits
   set due_at       = case when is_held_up then null
                           when later_by is null then deadline
                           when is_reminder
                           then least(deadline, statement_timestamp() + late.later_by * interval '1 millisecond')
                           else statement_timestamp() + late.later_by * interval '1 millisecond' end,
       came_at = case when signal is null or later_by is not null and not is_held_up then came_at end
  from unnest(:task_ids::uuid[], :steps::text[], :laters::float8[], :held_up::boolean[], :reminders::boolean[])
    as late (task_id, step, later_by, is_held_up, is_reminder)
 where waits.task_id = late.task_id
   and waits.step = late.step;
