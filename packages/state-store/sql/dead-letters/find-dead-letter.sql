-- One dead letter with its whole body; no row: there is none.
select id::text as id, queue, reason, detail, message_id, type, sender, at,
       (extract(epoch from clock_timestamp() - at) * 1000)::float8 as age, coalesce(size, length(body)) as size,
       length(body) as kept, body, properties
  from state.dead_letters
 where id = :id::bigint;
