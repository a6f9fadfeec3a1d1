-- A page of what is paused, and what was, latest first.
select id::text, kind, name, actor, reason, paused_at, resumed_at, resumed_by, resume_reason
  from state.pauses
 where id < coalesce(:before::bigint, 9223372036854775807)
 order by pauses.id desc
 limit :most;
