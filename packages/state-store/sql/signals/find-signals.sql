-- The signals of a task, the oldest first.
select name, signal_id as id, payload, sent_by, (extract(epoch from at) * 1000)::float8 as at, taken_by, is_late
  from state.signals
 where task_id = :task_id
 order by signals.id
 limit 1000;
