-- A page of the history of one task, oldest first: so many entries at most, and so many bytes, but
-- always one. `found`: those that there are, of one more than a page has.
select id, step, action, from_state, to_state, attempt, actor, reason, note, at, found
  from (select id::text as id, step, action, from_state, to_state, attempt, actor, reason, note, at,
               count(*) over () as found,
               row_number() over (order by one.id) as position,
               sum(200 + octet_length(actor) + coalesce(octet_length(step), 0) + coalesce(octet_length(reason), 0)
                   + coalesce(octet_length(note), 0)) over (order by one.id) as bytes
          from (select *
                  from state.events
                 where task_id = :task_id
                   and events.id > :after::bigint
                 order by events.id
                 limit :most::integer + 1) as one) as sized
 where (bytes <= :most_bytes::float8 or position = 1)
   and position <= :most::integer
 order by position;
