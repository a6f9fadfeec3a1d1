-- A page of the schedules by their ids, or one of them.
select id, definition, version, next_instant, buffered, last_task, failures, skips, paused_at, paused_by, pause_reason,
       created_at, changed_at, changed_by
  from state.schedules
 where (:id::text is null or id = :id::text)
   and (:after::text is null or id > :after::text)
 order by id
 limit :most::integer;
