-- A page of the signals of a task, the oldest first: so many at most, and so many bytes, but always
-- one. `found`: those that there are, of one more than a page has.
select number, name, id, payload, sent_by, at, taken_by, is_late, found
  from (select one.id::text as number, name, signal_id as id, payload, sent_by,
               (extract(epoch from at) * 1000)::float8 as at, taken_by, is_late,
               count(*) over () as found,
               row_number() over (order by one.id) as position,
               sum(500 + octet_length(payload::text)) over (order by one.id) as bytes
          from (select *
                  from state.signals
                 where task_id = :task_id
                   and signals.id > :after::bigint
                 order by signals.id
                 limit :most::integer + 1) as one) as sized
 where (bytes <= :most_bytes::float8 or position = 1)
   and position <= :most::integer
 order by position;
