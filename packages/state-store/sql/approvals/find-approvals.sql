-- A page of the steps that people are to decide, those of the oldest task first: those of these audiences, or all
-- where :audiences is null. What :undecided_by has decided is left out, and what is decided already.
select waits.task_id, step, workflow, business_key, submitted_by, audience,
       (extract(epoch from opened_at) * 1000)::float8 as opened_at,
       (extract(epoch from deadline) * 1000)::float8 as deadline,
       paused_at is not null as is_paused
  from state.waits
  join state.tasks on tasks.task_id = waits.task_id
 where audience is not null
   and came_at is null
   and (:audiences::text[] is null or audience = any(:audiences::text[]))
   and (:of_task::uuid is null or waits.task_id = :of_task::uuid)
   and (:after_task::uuid is null or (waits.task_id, step) > (:after_task::uuid, :after_step::text))
   and (:undecided_by::text is null
        or not exists (select from state.decisions
                        where decisions.task_id = waits.task_id and decisions.step = waits.step
                          and actor = :undecided_by::text))
 order by waits.task_id, step
 limit :most::integer;
