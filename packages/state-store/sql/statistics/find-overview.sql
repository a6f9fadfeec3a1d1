-- What an operator looks at first. Every count ends somewhere: `most` open tasks, 1,000 dead
-- letters and alerts, 100 pauses.
with open as materialized (
  select process_state, paused_at, updated_at
    from state.tasks
   where finished_at is null
   order by task_id desc
   limit :most + 1
),
counted as (
  select process_state, count(*) as tasks, min(updated_at) as since from open group by process_state
)
select clock_timestamp() as now,
       (select count(*) from open) > :most as has_more,
       (select coalesce(json_object_agg(process_state, tasks), '{}') from counted) as states,
       (select json_build_object('pending', pending, 'processing', processing, 'undoing', undoing,
                                 'halted', halted)
          from state.statistics_progress) as rolled_up_states,
       (select since from counted where process_state = 'halted') as halted_since,
       (select count(*)::integer from open where paused_at is not null) as paused_tasks,
       (select min(paused_at) from open) as tasks_paused_since,
       dead_letters.number as dead_letters, dead_letters.since as dead_letters_since,
       (select extract(epoch from clock_timestamp() - min(at))::float8 * 1000
          from (select at from state.outbox order by id limit 1) as oldest) as outbox_for,
       (select json_agg(json_build_object('kind', kind, 'name', name, 'actor', actor, 'reason', reason,
                                          'since', paused_at) order by paused_at desc)
          from (select * from state.pauses where resumed_at is null order by kind, name limit 100) as in_force) as pauses,
       (select json_agg(json_build_object('kind', kind, 'alerts', number, 'since', since, 'detail', detail)
                        order by since desc)
          from (select kind, count(*) as number, min(at) as since, (array_agg(detail order by id desc))[1] as detail
                  from (select id, kind, at, detail from state.alerts order by id desc limit 1000) as latest
                 where at > clock_timestamp() - interval '1 hour'
                   and kind <> 'task.halted'
                 group by kind) as by_kind) as alerts
  from (select count(*)::integer as number, min(at) as since
          from (select at from state.dead_letters order by id desc limit 1000) as latest) as dead_letters;
