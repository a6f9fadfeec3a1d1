-- Bulk operations: one action on many tasks, worked off by the Supervisors. An operation and its items stand in
-- tables of their own; an item and the task that it moves change in one transaction.

create table state.bulk_operations (
  id              uuid             primary key default state.new_task_id(),
  tenant          text             not null default 'default',
  action          text             not null,
  -- Which step of each task; null: the only one that can be meant.
  step            text,
  -- What a resolved step returned.
  output          json,
  -- Which tasks were asked for, as it was asked.
  filter          json             not null,
  actor           text             not null,
  reason          text             not null,
  idempotency_key text,
  request_hash    text             not null,
  -- So many items are applied first and must succeed; 0: none.
  canary          integer          not null,
  -- Items a second. All before `paced_from` is used up.
  rate            double precision not null,
  paced_from      timestamptz      not null,
  state           text             not null,
  matched         integer          not null,
  -- The items by their outcome: they are not counted anew each time.
  waiting         integer          not null,
  applied         integer          not null default 0,
  refused         integer          not null default 0,
  succeeded       integer          not null default 0,
  failed_again    integer          not null default 0,
  created_at      timestamptz      not null default clock_timestamp(),
  ended_at        timestamptz,
  stopped_by      text,
  stop_reason     text,

  constraint known_action
    check (action in ('resubmit', 'undo', 'cancel', 'pause', 'resume', 'resolve', 'retryNow')),
  constraint known_state check (state in ('canary', 'running', 'verifying', 'done', 'stopped', 'failed')),
  constraint ended_exactly_at_the_end
    check ((state in ('done', 'stopped', 'failed')) = (ended_at is not null)),
  constraint stopped_by_an_actor
    check ((state = 'stopped') = (stopped_by is not null) and (state = 'stopped') = (stop_reason is not null)),
  constraint each_item_counts_once check (matched = waiting + applied + refused + succeeded + failed_again),
  constraint counts_are_not_negative check (least(waiting, applied, refused, succeeded, failed_again) >= 0),
  constraint rate_is_positive check (rate > 0)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

create unique index bulk_operations_once on state.bulk_operations (tenant, idempotency_key)
  where idempotency_key is not null;
-- Those that a Supervisor works on: a stopped one until the outcome of all that it applied is known.
create index bulk_operations_at_work on state.bulk_operations (id)
  where state in ('canary', 'running', 'verifying') or applied > 0;
create index bulk_operations_ended on state.bulk_operations (ended_at) where ended_at is not null;

create table state.bulk_items (
  operation_id    uuid        not null,
  -- The order in which they are applied.
  number          integer     not null,
  task_id         uuid        not null,
  -- The version of the task when it was chosen, and after the action was applied to it.
  version         integer     not null,
  applied_version integer,
  outcome         text        not null default 'waiting',
  code            text,
  -- What the action was applied to.
  step            text,
  attempt         integer,
  at              timestamptz not null default clock_timestamp(),

  primary key (operation_id, number),
  constraint known_outcome check (outcome in ('waiting', 'applied', 'refused', 'succeeded', 'failedAgain'))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

create index bulk_items_by_outcome on state.bulk_items (operation_id, outcome, number);


-- Operations creates and stops them, the Supervisor works them off, and deletes them once they are old.
grant select, insert on state.bulk_operations, state.bulk_items to holdfast_operations;
grant update (state, ended_at, stopped_by, stop_reason) on state.bulk_operations to holdfast_operations;
grant select, delete on state.bulk_operations, state.bulk_items to holdfast_supervisor;
grant update (state, paced_from, waiting, applied, refused, succeeded, failed_again, ended_at, stopped_by, stop_reason)
   on state.bulk_operations to holdfast_supervisor;
grant update (outcome, code, step, attempt, applied_version, at) on state.bulk_items to holdfast_supervisor;
-- What a resolved step returned, and what the conditions of the steps after it look at.
grant select on state.task_payloads to holdfast_supervisor;
grant select, insert, update on state.step_payloads to holdfast_supervisor;
grant select on state.bulk_operations, state.bulk_items to holdfast_observer;

update state.compatibility set schema_version = greatest(schema_version, 11);
