-- A page of dead letters before one of them, newest first, with the beginning of each body.
select id::text as id, queue, reason, detail, message_id, type, sender, at,
       (extract(epoch from clock_timestamp() - at) * 1000)::float8 as age, coalesce(size, length(body)) as size,
       length(body) as kept, substring(body from 1 for :shown::integer) as body, properties
  from state.dead_letters
 where id < :before::bigint
 order by dead_letters.id desc
 limit :most;
