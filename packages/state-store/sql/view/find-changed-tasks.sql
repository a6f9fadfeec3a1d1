-- Tasks with moves after one of the history, as they are now, those that moved last first. Of a
-- long history the last moves are looked at: so many at most.
with sequence as materialized (
  select case when is_called then last_value else 0 end as last_id from state.events_id_seq
),
place as materialized (
  select last_id, greatest(least(:after::bigint, last_id), last_id - :most_moves::bigint) as after_id from sequence
),
moved as materialized (
  select task_id, max(id) as id
    from state.events_between((select after_id + 1 from place), (select last_id from place), null)
   group by task_id
),
latest as materialized (
  select task_id, id from moved order by id desc limit :most
)
select last_id::text as last_id,
       (select count(*)::integer from moved) as moved,
       (select coalesce(json_agg(json_build_object('id', tasks.task_id, 'workflow', workflow, 'state', process_state,
                                                   'version', version, 'updatedAt', updated_at)
                                 order by latest.id desc), '[]')
          from latest
          join state.tasks on tasks.task_id = latest.task_id) as tasks
  from place;
