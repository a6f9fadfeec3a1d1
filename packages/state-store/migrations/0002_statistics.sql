-- What happened over time, counted from the history by the Supervisors: see decision 0114.

-- phase: apart
-- New rows of the history are found by their ids. BRIN: an entry for 64 pages of a table that only grows at its end,
-- where a B-tree would have one for each move of each step.
drop index concurrently if exists state.events_{month}_by_id;
create index concurrently events_{month}_by_id on state.events_{month} using brin (id)
  with (pages_per_range = 64, autosummarize = on);
drop index concurrently if exists state.tasks_{month}_by_correlation;
create index concurrently tasks_{month}_by_correlation on state.tasks_{month} (correlation_id collate "C", task_id)
  where correlation_id is not null;

-- phase: locks state.tasks, state.events
create index events_by_id on state.events using brin (id) with (pages_per_range = 64, autosummarize = on);
-- No decision changes the column, so updates of a task write nothing here.
create index tasks_by_correlation on state.tasks (correlation_id collate "C", task_id)
  where correlation_id is not null;

-- How far the history is counted. The Supervisor that counts locks the row; the others pass over it.
create table state.statistics_progress (
  singleton  boolean     primary key default true check (singleton),
  -- The rows of the history with ids up to this one are counted, except those in gaps.
  counted_to bigint      not null default 0,
  -- The months that had unfinished tasks when rows were counted last: only in these and in later ones the history
  -- can have become longer since.
  months     text[]      not null default '{}',
  -- Tasks that are open, by their state, as far as the history is counted.
  pending      bigint    not null default 0,
  processing   bigint    not null default 0,
  compensating bigint    not null default 0,
  error        bigint    not null default 0,
  counted_at timestamptz
) with (fillfactor = 50);
insert into state.statistics_progress default values;

-- Ids up to `counted_to` of which no row was seen: of transactions that commit later, or never.
create table state.statistics_gaps (
  from_id bigint primary key,
  to_id   bigint not null,
  -- Looked at for the last time when every transaction before this one has ended; null: the next round sets it.
  until   xid8,

  constraint range_of_ids check (to_id >= from_id)
);

-- Counts by minute, hour and day: of everything (subject ''), of a workflow ('workflow:' and its name) and of an
-- Agent ('agent:' and its name). Every round adds to all three, so an hour is the sum of its minutes.
create table state.statistics (
  resolution      text        not null,
  subject         text        not null,
  at              timestamptz not null,
  submitted       bigint      not null default 0,
  processed       bigint      not null default 0,
  compensated     bigint      not null default 0,
  halted          bigint      not null default 0,
  attempts        bigint      not null default 0,
  failed_attempts bigint      not null default 0,
  -- Steps that were undone.
  undone          bigint      not null default 0,
  -- How many took how long, by `durationBucket` of packages/domain: tasks, or the attempts of an Agent.
  durations       bigint[]    not null default '{}',

  primary key (resolution, subject, at),
  constraint known_resolution check (resolution in ('minute', 'hour', 'day'))
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

-- Failures that are alike: one row for each fingerprint.
create table state.failure_groups (
  fingerprint text        primary key,
  workflow    text        not null,
  -- Empty: the task as a whole failed.
  step        text        not null,
  fault_code  text        not null collate "C",
  -- Numbers, ids and quoted values are replaced.
  message     text        not null,
  failures    bigint      not null default 0,
  first_at    timestamptz not null,
  last_at     timestamptz not null
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create index failure_groups_by_code on state.failure_groups (fault_code);
create index failure_groups_by_time on state.failure_groups (last_at);

-- Which tasks failed, where and how last.
create table state.failures (
  task_id     uuid        not null,
  step        text        not null,
  fingerprint text        not null,
  -- Whether the task waits for an operator, when its history was counted last.
  halted      boolean     not null,
  at          timestamptz not null,

  primary key (task_id, step)
) with (autovacuum_vacuum_scale_factor = 0.05);
create index failures_alike on state.failures (fingerprint, task_id);
create index failures_halted on state.failures (fingerprint, task_id) where halted;

-- The processes of Holdfast, by what they say of themselves every few seconds.
create table state.instances (
  service    text        not null,
  instance   text        not null,
  version    text        not null,
  -- Of a Scheduler: the steps that it may have in flight for each Agent.
  slots      integer,
  started_at timestamptz not null default clock_timestamp(),
  seen_at    timestamptz not null default clock_timestamp(),

  primary key (service, instance),
  constraint known_service check (service in ('submission', 'scheduler', 'supervisor'))
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

-- Adds histograms bucket by bucket; the longer one has the last word.
create function state.add_counts(one bigint[], other bigint[]) returns bigint[]
  language sql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
  select coalesce(array_agg(coalesce(a, 0) + coalesce(b, 0) order by place), '{}')
    from (select coalesce(ones.place, others.place) as place, a, b
            from unnest(one) with ordinality as ones (a, place)
            full join unnest(other) with ordinality as others (b, place) using (place)) as pairs
$$;

-- Rows of the history by their ids, in these months or (null) in all. By BRIN alone: the planner settings of the
-- services know no bitmaps, and the primary key begins with the task.
create function state.events_between(first_event bigint, last_event bigint, of_months text[])
  returns setof state.events language plpgsql stable
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off set enable_bitmapscan = on as $$
declare
  part record;
begin
  for part in select first_id, end_id from state.partitions
               where of_months is null or month::text = any (of_months)
  loop
    -- As literals, so that the plan has this month and the ids' selectivity.
    return query execute format(
      'select * from state.events where task_id >= %L and task_id < %L and id >= %s and id <= %s',
      part.first_id, part.end_id, first_event, last_event);
  end loop;
end
$$;

revoke execute on function state.add_counts(bigint[], bigint[]), state.events_between(bigint, bigint, text[])
  from public;

grant select on state.statistics, state.statistics_progress, state.statistics_gaps, state.failures,
                state.failure_groups, state.instances
   to holdfast_submission, holdfast_operations, holdfast_supervisor;
grant select on state.instances to holdfast_scheduler;
grant insert, update, delete on state.instances
   to holdfast_submission, holdfast_operations, holdfast_scheduler, holdfast_supervisor;
grant insert, update, delete on state.statistics, state.statistics_gaps, state.failures, state.failure_groups
   to holdfast_supervisor;
grant update on state.statistics_progress to holdfast_supervisor;
grant select on sequence state.events_id_seq
   to holdfast_submission, holdfast_operations, holdfast_supervisor;
grant select (task_id, name, fault_detail) on state.step_payloads to holdfast_supervisor;
grant select on state.partitions to holdfast_supervisor;
grant execute on function state.add_counts(bigint[], bigint[]), state.events_between(bigint, bigint, text[])
   to holdfast_supervisor;
-- What the overview counts.
grant select (id, queue, reason, at) on state.dead_letters to holdfast_submission, holdfast_operations;
grant select (tenant, idempotency_key, task_id) on state.submissions to holdfast_operations;
grant select (id, at) on state.outbox to holdfast_submission, holdfast_operations;

update state.compatibility set schema_version = 10;
