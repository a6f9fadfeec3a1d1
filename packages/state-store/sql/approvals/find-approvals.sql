-- A page of the steps that people are to decide, those of the oldest task first: those of these
-- audiences, or of all where :audiences is null. What :undecided_by has decided is left out, and
-- what is decided already. As many of each audience are read as the page may have, however many
-- others wait.
with recursive known as (
  (select min(audience) as name from state.waits where audience is not null and came_at is null and :audiences::text[] is null)
  union all
  select (select min(audience) from state.waits where audience > known.name and came_at is null)
    from known
   where known.name is not null
),
asked as (
  select unnest(:audiences::text[]) as audience
   union
  select name from known where name is not null
),
page as (
  select open.*
    from asked
   cross join lateral (
     select task_id, step, waits.audience, opened_at, deadline
       from state.waits
      where waits.audience = asked.audience
        and came_at is null
        and task_id >= coalesce(:of_task::uuid, '00000000-0000-0000-0000-000000000000')
        and task_id <= coalesce(:of_task::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        and (task_id, step) > (coalesce(:after_task::uuid, '00000000-0000-0000-0000-000000000000'), coalesce(:after_step::text, ''))
        and (:undecided_by::text is null
             or not exists (select from state.decisions
                             where decisions.task_id = waits.task_id and decisions.step = waits.step
                               and actor = :undecided_by::text))
      order by task_id, step
      limit :most::integer) as open
   order by open.task_id, open.step
   limit :most::integer
)
select page.task_id, step, workflow, business_key, submitted_by, audience,
       (extract(epoch from opened_at) * 1000)::float8 as opened_at,
       (extract(epoch from deadline) * 1000)::float8 as deadline,
       paused_at is not null as is_paused
  from page
  join state.tasks on tasks.task_id = page.task_id
 order by page.task_id, step;
