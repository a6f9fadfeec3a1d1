-- What became of dead letters, those settled last first: 200 at most of the last 10,000 letters.
select letter_id::text as id, queue, message_id, type, sender, action, actor, reason, at
  from (select * from state.dead_letter_actions order by letter_id desc limit 10000) as latest
 order by at desc
 limit 200;
