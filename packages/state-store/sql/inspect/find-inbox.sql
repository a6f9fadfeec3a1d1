-- What waits in the inbox, counted no further than to 10,000, and for how long the oldest has
-- waited (ms); and what was refused in the last so many milliseconds, of the last 1,000, by
-- application and code.
select (select count(*)::integer from (select task_id from state.inbox limit 10000) as enqueued) as waiting,
       (select (extract(epoch from clock_timestamp() - enqueued_at) * 1000)::float8
          from state.inbox order by task_id limit 1) as waiting_for,
       (select coalesce(json_agg(json_build_object('submitter', submitter, 'code', code, 'submissions', number,
                                                   'latest', latest) order by latest desc), '[]')
          from (select submitter, code, count(*) as number, max(at) as latest
                  from (select submitter, code, at from state.refusals order by task_id desc limit 1000) as last
                 where at > clock_timestamp() - :within::float8 * interval '1 millisecond'
                 group by submitter, code
                 order by latest desc
                 limit 20) as alike) as refused;
