-- An Agent may ask for a longer delay than the policy of the step allows. The delay is cut, and somebody is
-- alerted. NOT VALID, and validated by itself: rows are then checked while others write.
alter table state.alerts drop constraint known_kind;
alter table state.alerts add constraint known_kind
  check (kind in ('task.halted', 'undo.failing', 'step.delayed', 'message.dead')) not valid;
alter table state.alerts validate constraint known_kind;
