-- Deletes refused replies, submissions and signals and dead letters that are older than :keep
-- milliseconds, of each kind the oldest few, and alerts whose dead letter is gone. Says how many.
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
submissions as (
  delete from state.refusals
   where task_id in (select task_id
                       from (select task_id, at from state.refusals order by task_id limit :batch) as oldest
                      where at < (select until from past))
  returning 1
),
signals as (
  delete from state.signal_refusals
   where number in (select number
                      from (select number, at from state.signal_refusals order by number limit :batch) as oldest
                     where at < (select until from past))
  returning 1
),
dead_letters as (
  delete from state.dead_letters
   where id in (select id
                  from (select id, at from state.dead_letters order by id limit :batch) as oldest
                 where at < (select until from past))
  returning 1
),
alerts as (
  delete from state.alerts
   where id in (select id
                  from state.alerts
                 where kind in ('message.dead', 'message.dropped')
                   and at < (select until from past)
                 order by id
                 limit :batch)
  returning 1
)
select (select count(*) from replies)::integer + (select count(*) from dead_letters)::integer
     + (select count(*) from submissions)::integer + (select count(*) from signals)::integer
     + (select count(*) from alerts)::integer as deleted;
