-- Resumes an Agent or a workflow; no row when it is not paused.
update state.pauses
   set resumed_at    = clock_timestamp(),
       resumed_by    = :actor,
       resume_reason = :reason,
       released_at   = case when kind = 'agent' then clock_timestamp() end
 where kind = :kind
   and name = :name
   and resumed_at is null
returning id::text as id;
