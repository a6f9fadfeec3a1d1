-- Claims due steps for one Scheduler: of each lane the first by band and rank, at most as many as
-- it has slots. The spans that are searched come in order and do not overlap; the next is begun
-- when one has too few. `reserved` is how many slots of a lane are for steps of the last band, if
-- any is due. `agents` are those that get the steps of pools.
--
-- SKIP LOCKED: a row that another transaction holds is skipped. The CTE is materialized so that it
-- is evaluated once, and ends in a literal limit because with a parameter alone the planner expects
-- the whole table and reads it. Nothing is claimed of what is paused. A task that is skipped here
-- is locked by a transaction that decides about it and writes its summary. Tasks are looked up by
-- an array, so that PostgreSQL 18 does not crash (decision 0086).
--
-- The task's input is returned where the row holds it and no operator can have replaced it: at the
-- first attempt. Most requests need no other value. The version is that of the task after this
-- claim; null where the task is pending and its row was skipped, because another transaction is
-- about to change it: the Scheduler must not cache such a task.
with paused as materialized (
  select kind, name from state.pauses where resumed_at is null
),
capacity as (
  select lane, agent, slots,
         slots - case when reserved > 0
                       and exists (select from state.steps
                                    where process_state = 'pending'
                                      and rank is not null
                                      and task_id between :first_id and :last_id
                                      and steps.lane = capacity.lane
                                      and band = 3)
                      then reserved else 0 end as for_others
    from unnest(:lanes::text[], :agents::text[], :slots::integer[], :reserved::integer[])
      as capacity (lane, agent, slots, reserved)
   where not exists (select from paused where kind = 'agent' and name = coalesce(capacity.agent, capacity.lane))
),
picked as materialized (
  select due.task_id, due.name, capacity.agent
    from capacity
   cross join lateral (
     select part.task_id, part.name
       from (values (false), (true)) as bands (are_last)
      cross join lateral (
        select found.task_id, found.name
          from unnest(:span_lanes::text[], :span_lows::integer[], :span_froms::float8[],
                      :span_highs::integer[], :span_tos::float8[]) as span (lane, low, low_rank, high, high_rank)
         cross join lateral (
           select task_id, name
             from state.steps
            where process_state = 'pending'
              and rank is not null
              and task_id between :first_id and :last_id
              and lane = capacity.lane
              and (band, rank) >= (span.low, to_timestamp(span.low_rank / 1000))
              and (band, rank) <= (span.high, to_timestamp(span.high_rank / 1000))
              and format <= :format
              -- The next attempt has a number.
              and attempt < 2147483647
              -- Steps of paused workflows are set aside soon, so that there are never many to pass
              -- over.
              and (not exists (select from paused where kind = 'workflow')
                   or (select workflow from state.tasks
                        where tasks.task_id = any (array_fill(steps.task_id, array[1]))
                          and tasks.task_id between :first_id and :last_id)
                      not in (select name from paused where kind = 'workflow'))
            order by band, rank
            limit capacity.slots
              for no key update skip locked
         ) as found
         where span.lane = capacity.lane
           and (span.low = 3) = bands.are_last
         limit case when bands.are_last then capacity.slots else capacity.for_others end
      ) as part
      limit capacity.slots
   ) as due
   limit 500
),
claimed as (
  update state.steps
     set process_state = 'processing',
         locked_by     = :locked_by,
         -- A step that has to stay with its Agent keeps it: its lane is no pool.
         agent         = coalesce(picked.agent, steps.agent),
         attempt       = attempt + 1,
         token         = gen_random_uuid(),
         start_by      = statement_timestamp() + start_within * interval '1 millisecond',
         complete_by   = statement_timestamp() + (start_within::float8 + complete_within) * interval '1 millisecond',
         resend_at      = statement_timestamp() + :resend_after::float8 * interval '1 millisecond',
         resent       = false,
         rank          = null,
         not_before    = null
    from picked
   where steps.task_id = picked.task_id
     and steps.name    = picked.name
     and steps.task_id between :first_id and :last_id
  returning steps.task_id, steps.name, steps.kind, steps.lane, steps.agent, steps.attempt, steps.token,
            steps.start_by, steps.complete_by, steps.key_generation
),
begun as (
  update state.tasks
     set process_state = 'processing',
         version       = version + 1,
         updated_at    = statement_timestamp()
   where task_id between :first_id and :last_id
     and task_id in (
           select found.task_id
             from picked
            cross join lateral (
              select task_id
                from state.tasks
               where tasks.task_id = any (array_fill(picked.task_id, array[1]))
                 and task_id between :first_id and :last_id
                 and process_state = 'pending'
                 and version < 2147483647
                 for no key update skip locked
            ) as found)
  returning task_id, version
),
history as (
  insert into state.events (task_id, step, action, from_state, to_state, attempt, actor)
  select task_id, name, 'claim', 'pending', 'processing', attempt, :locked_by from claimed
  union all
  select task_id, null, 'summarise', 'pending', 'processing', null, :locked_by from begun
)
select claimed.task_id, claimed.name, claimed.lane, coalesce(claimed.agent, claimed.lane) as agent, claimed.attempt, claimed.token,
       (extract(epoch from claimed.start_by) * 1000)::float8    as start_by,
       (extract(epoch from claimed.complete_by) * 1000)::float8 as complete_by,
       (extract(epoch from statement_timestamp()) * 1000)::float8 as now,
       claimed.key_generation, tasks.workflow, tasks.priority, tasks.fairness_key, tasks.reply_to, tasks.correlation_id,
       tasks.trace_context,
       -- By a lookup: the planner may only nest loops, and would read all of `begun` for each step.
       case when tasks.process_state = 'pending'
            then ((select jsonb_object_agg(task_id, version) from begun) ->> claimed.task_id::text)::integer
            else tasks.version end as version,
       -- As it is stored, and as it is read: what compresses well is short until then.
       case when claimed.attempt = 1 and pg_column_size(task_payloads.input) <= 2000
                 and octet_length(task_payloads.input::text) <= 4000
            then task_payloads.input end as task_input
  from claimed
  join state.tasks on tasks.task_id = claimed.task_id
                  and tasks.task_id between :first_id and :last_id
  left join state.task_payloads on task_payloads.task_id = claimed.task_id
                               and task_payloads.task_id between :first_id and :last_id;
