-- Rehearsal: a rule for rows that are there already. NOT VALID, and validated by itself: rows are
-- then checked while others write.

-- phase: locks state.tasks
alter table state.tasks drop constraint if exists channel_is_named;
alter table state.tasks add constraint channel_is_named check (channel <> '') not valid;

-- phase: online
alter table state.tasks validate constraint channel_is_named;
