-- What is paused, and what was, latest first.
select kind, name, actor, reason, paused_at, resumed_at, resumed_by, resume_reason
  from state.pauses
 order by id desc
 limit 200;
