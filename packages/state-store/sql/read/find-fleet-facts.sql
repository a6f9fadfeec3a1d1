-- What metrics say of all instances together. `lanes`: those with due steps, how many there are and
-- for how long the oldest has been due (ms). All counts end somewhere: 500 lanes, 300 due steps of
-- each band of a lane, 10,000 notifications, 10,000 submissions and as many signals of the inbox,
-- 10,000 dead letters and 500 breakers, open ones first.
select (select coalesce(json_agg(json_build_object('lane', lane, 'steps', steps, 'age', age)), '[]')
          from (select given.lane, count(*) as steps,
                       extract(epoch from clock_timestamp() - min(due.not_before)) * 1000 as age
                  from (select lane from unnest(:lanes::text[]) as asked (lane) limit 500) as given
                 cross join (values (0), (1), (2)) as every (band)
                 cross join lateral (
                        select not_before
                          from state.steps
                         where process_state = 'pending'
                           and rank is not null
                           and task_id between :first_id and :last_id
                           and lane = given.lane
                           and steps.band = every.band
                         order by rank
                         limit 300) as due
                 group by given.lane) as waiting) as lanes,
       -- Also of waits that a Scheduler has put off for less than a minute, and not of those held.
       (select (extract(epoch from statement_timestamp() - min(ended_at)) * 1000)::float8
          from (select least(deadline, came_at) as ended_at
                  from state.waits
                 where due_at <= statement_timestamp() + interval '1 minute'
                 order by due_at
                 limit 1000) as next
         where ended_at <= statement_timestamp()) as wait_lateness,
       (select (extract(epoch from statement_timestamp() - min(due_at)) * 1000)::float8
          from state.schedules
         where due_at <= statement_timestamp()) as schedule_lateness,
       (select count(*)::integer from (select from state.outbox limit 10000) as unsent) as notifications,
       (select (extract(epoch from clock_timestamp() - at) * 1000)::float8
          from state.outbox order by id limit 1) as oldest_notification_age,
       (select count(*)::integer from ((select task_id from state.inbox limit 10000)
                                        union all
                                       (select null from state.signal_inbox limit 10000)) as enqueued) as enqueued,
       (select (extract(epoch from clock_timestamp() - min(enqueued_at)) * 1000)::float8
          from ((select enqueued_at from state.inbox order by task_id limit 1)
                 union all
                (select enqueued_at from state.signal_inbox order by number limit 1)) as oldest) as oldest_enqueued_age,
       (select count(*)::integer from (select id from state.dead_letters limit 10000) as newest) as dead_letters,
       (select (extract(epoch from clock_timestamp() - at) * 1000)::float8
          from state.dead_letters order by id desc limit 1) as newest_dead_letter_age,
       (select coalesce(json_agg(json_build_object('service', service, 'state', state)), '[]')
          from (select service, state from state.breakers
                 order by state = 'closed', service limit 500) as listed) as breakers;
