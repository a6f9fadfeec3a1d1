-- A page of what became of dead letters, those settled last first, of the last 10,000 letters. A
-- page begins after the letter that ended the page before.
with latest as materialized (
  select * from state.dead_letter_actions order by dead_letter_id desc limit 10000
)
select dead_letter_id::text as id, queue, message_id, type, sender, action, actor, reason, at
  from latest
 where :after::bigint is null
    or (at, dead_letter_id) < (select at, dead_letter_id from latest where dead_letter_id = :after::bigint)
 order by latest.at desc, dead_letter_id desc
 limit :most;
