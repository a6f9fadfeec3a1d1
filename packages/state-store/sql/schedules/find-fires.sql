-- What became of the instants of a schedule, the latest first.
select schedule, instant, outcome, task_id, actor, reason, at,
       (extract(epoch from instant) * 1000)::float8::text as number
  from state.schedule_fires
 where schedule = :id
   and (:before::float8 is null or instant < to_timestamp(:before::float8 / 1000))
 order by instant desc
 limit :most::integer;
