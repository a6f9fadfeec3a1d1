-- Deletes what is older than :keep milliseconds and belongs to no month: pauses that are over, what
-- became of dead letters and of instants of schedules, and alerts whose tasks are gone, whether a
-- queue took them or not. Returns how many rows. Messages have a statement and a limit of their
-- own: delete-old-messages.
with past as (
  select state.trusted_now() - :keep::float8 * interval '1 millisecond' as until
),
alerts as (
  delete from state.alerts
   where id in (select id
                  from state.alerts as old
                 where at < (select until from past)
                   and not exists (select from state.tasks where tasks.task_id = old.task_id)
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
),
dead_letters as (
  delete from state.dead_letter_actions
   where dead_letter_id in (select dead_letter_id
                         from (select dead_letter_id, at from state.dead_letter_actions order by dead_letter_id limit :batch) as oldest
                        where at < (select until from past))
  returning 1
),
fires as (
  delete from state.schedule_fires
   where (schedule, instant) in (select schedule, instant
                                   from state.schedule_fires as old
                                  where at < (select until from past)
                                  order by at
                                  limit :batch)
  returning 1
)
select (select count(*) from alerts)::integer + (select count(*) from pauses)::integer
     + (select count(*) from dead_letters)::integer + (select count(*) from fires)::integer as deleted;
