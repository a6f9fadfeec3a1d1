-- Deletes what is older than :keep milliseconds and belongs to no month: of each kind of message the oldest
-- few, pauses that are over, and alerts that somebody had, once their tasks are gone. Says how many.
with past as (
  select state.trusted_now() - :keep::float8 * interval '1 millisecond' as until
),
replies as (
  delete from state.rejected_replies
   where id in (select id
                  from (select id, at from state.rejected_replies order by id limit :batch) as oldest
                 where at < (select until from past))
  returning 1
),
letters as (
  delete from state.dead_letters
   where id in (select id
                  from (select id, at from state.dead_letters order by id limit :batch) as oldest
                 where at < (select until from past))
  returning 1
),
alerts as (
  delete from state.alerts
   where id in (select id
                  from state.alerts as heard
                 where told_at is not null
                   and at < (select until from past)
                   and not exists (select from state.tasks where tasks.task_id = heard.task_id)
                 order by id
                 limit :batch)
  returning 1
),
pauses as (
  delete from state.pauses
   where id in (select id
                  from state.pauses as over
                 where released_at < (select until from past)
                 order by id
                 limit :batch)
  returning 1
)
select (select count(*) from replies)::integer + (select count(*) from letters)::integer
     + (select count(*) from alerts)::integer + (select count(*) from pauses)::integer as deleted;
