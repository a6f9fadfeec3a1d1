-- What waits in the inbox, counted no further than to 10,000, and for how long the oldest has
-- waited (ms); and what was refused in the last so many milliseconds, of the last 1,000 each, by
-- application and code.
select (select count(*)::integer from (select task_id from state.inbox limit 10000) as enqueued) as waiting,
       (select (extract(epoch from clock_timestamp() - enqueued_at) * 1000)::float8
          from state.inbox order by task_id limit 1) as waiting_for,
       (select coalesce(json_agg(json_build_object('kind', kind, 'submitter', submitter, 'code', code, 'number', number,
                                                   'latest', latest) order by latest desc), '[]')
          from (select kind, submitter, code, count(*) as number, max(at) as latest
                  from ((select 'submission' as kind, submitter, code, at
                           from state.refusals order by task_id desc limit 1000)
                         union all
                        (select 'signal', submitter, code, at
                           from state.signal_refusals order by number desc limit 1000)) as last
                 where at > clock_timestamp() - :within::float8 * interval '1 millisecond'
                 group by kind, submitter, code
                 order by latest desc
                 limit 20) as alike) as refused;
