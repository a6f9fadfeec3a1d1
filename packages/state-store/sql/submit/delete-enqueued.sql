-- Deletes submissions of the inbox: their tasks are written with it.
delete from state.inbox where task_id = any(:task_ids::uuid[]);
