-- What the Supervisor looks for, in one statement and without locks: steps whose complete-by time
-- has passed, tasks whose own limit has, and in how many milliseconds the next step's will. Looks
-- back as far as `:since`; the last row tells how many entries of indexes that took. Tasks of
-- `:held` are left out: nothing could be done about them a moment ago.
--
-- Silence is proven for as many of `:queues` as a probe went to, by the way of a reply, a moment
-- after the limit had passed. It is excused if requests or replies, of all Agents or of this one,
-- may not have arrived in the time of the attempt.
--
-- The limit of a task stands still while the task, its workflow or an Agent of one of its steps is
-- paused. The limit of a step runs from its claim, and nothing that is paused is claimed: it needs
-- no such rule.
with before as materialized (
  select sum(pg_stat_get_xact_tuples_returned(indexrelid)) as entries
    from pg_index
    join pg_inherits on inhrelid = indrelid
   where inhparent in ('state.steps'::regclass, 'state.tasks'::regclass)
)
(select task_id, name as step, attempt, token,
        (extract(epoch from statement_timestamp() - greatest(complete_by, 'epoch')) * 1000)::float8 as overdue,
        (select count(*)::integer
           from state.reply_paths
          where queue = any(:queues::text[])
            and proven_at >= complete_by + :settling::float8 * interval '1 millisecond') as proven,
        exists (select from state.outages
                 where to_at > start_by - start_within * interval '1 millisecond'
                   and from_at < complete_by
                   and (part in ('requests', 'replies') or part = 'agent ' || coalesce(agent, lane))) as excused,
        null::float8 as next_in, null::float8 as passed, null::float8 as now, null::float8 as took
   from state.steps
  where process_state = 'processing'
    and complete_by between to_timestamp(:since::float8 / 1000) and statement_timestamp()
    and format <= :format
    and task_id <> all(:held::uuid[])
    -- Counted before anything is read.
    and (select entries from before) is not null
  order by complete_by
  limit :batch)
union all
(select task_id, null, null, null, null, null, null, null, null, null, null
   from state.tasks
  where complete_by between to_timestamp(:since::float8 / 1000) and statement_timestamp()
    and finished_at is null
    and goal = 'do'
    and paused_at is null
    and format <= :format
    and task_id <> all(:held::uuid[])
    and complete_by + (
          select coalesce(sum(upper(paused) - lower(paused)), interval '0')
            from unnest((
                   select range_agg(paused_of.spans)
                     from (select 'workflow' as kind, array[tasks.workflow] as names
                           union all
                           -- A pool is paused while all of its Agents are.
                           select 'agent', string_to_array(lanes.lane, '+')
                             from (select distinct lane from state.steps
                                    where steps.task_id = tasks.task_id) as lanes) as holder
                    cross join lateral (
                          select range_intersect_agg(of_one.spans) as spans
                            from unnest(holder.names) as holding (name)
                           cross join lateral (
                                 select coalesce(range_agg(tstzrange(greatest(pauses.paused_at, tasks.created_at),
                                                           coalesce(pauses.resumed_at, statement_timestamp()))),
                                                 '{}') as spans
                                   from state.pauses
                                  where pauses.kind = holder.kind
                                    and pauses.name = holding.name
                                    and coalesce(pauses.resumed_at, statement_timestamp())
                                          > greatest(pauses.paused_at, tasks.created_at)) as of_one) as paused_of
                 )) as paused
        ) <= statement_timestamp()
  order by complete_by
  limit :batch)
union all
select null, null, null, null, null, null, null,
       (select (extract(epoch from complete_by - statement_timestamp()) * 1000)::float8
          from state.steps
         where process_state = 'processing'
           and complete_by > statement_timestamp()
         order by complete_by
         limit 1),
       ((select sum(pg_stat_get_xact_tuples_returned(indexrelid))
           from pg_index
           join pg_inherits on inhrelid = indrelid
          where inhparent in ('state.steps'::regclass, 'state.tasks'::regclass))
        - (select entries from before))::float8,
       (extract(epoch from statement_timestamp()) * 1000)::float8,
       (extract(epoch from clock_timestamp() - statement_timestamp()) * 1000)::float8;
