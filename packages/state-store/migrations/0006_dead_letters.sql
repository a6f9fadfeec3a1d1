-- Operators send dead letters once more, or discard them: see decision 0127. What a message needs for that beside its
-- body is kept from now on; null for those of earlier releases.

-- phase: apart
drop index concurrently if exists state.dead_letters_by_queue;
create index concurrently dead_letters_by_queue on state.dead_letters (queue, id);

-- phase: locks state.tasks, state.outbox, state.dead_letters
-- A task that an application submits in its own transaction goes on with the trace that the transaction has set. The
-- services name these columns in each insert. No row is rewritten.
alter table state.tasks alter column trace_context
  set default substring(current_setting('holdfast.traceparent', true) from '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$');
alter table state.outbox alter column trace_context
  set default substring(current_setting('holdfast.traceparent', true) from '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$');

alter table state.dead_letters add column properties json;

-- What became of dead letters, who wanted it and why. The Supervisor deletes old ones.
create table state.dead_letter_actions (
  letter_id  bigint      primary key,
  queue      text        not null,
  message_id text,
  type       text,
  sender     text,
  action     text        not null,
  actor      text        not null,
  reason     text        not null,
  at         timestamptz not null default clock_timestamp(),

  constraint known_action check (action in ('replay', 'discard'))
);

grant delete on state.dead_letters to holdfast_operations;
grant select, insert on state.dead_letter_actions to holdfast_operations;
grant select, delete on state.dead_letter_actions to holdfast_supervisor;
grant select on state.dead_letter_actions to holdfast_observer;

-- What has changed since a moment ago, and how large the months are.
grant execute on function state.events_between(bigint, bigint, text[]) to holdfast_submission, holdfast_operations;

update state.compatibility set schema_version = greatest(schema_version, 13);
