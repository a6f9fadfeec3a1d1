-- Removes a dead letter and keeps what became of it, who wanted it and why. No row: it is gone
-- already.
with gone as (
  delete from state.dead_letters
   where id = :id::bigint
  returning id, queue, message_id, type, sender
)
insert into state.dead_letter_actions (dead_letter_id, queue, message_id, type, sender, action, actor, reason)
select id, queue, message_id, type, sender, :action, :actor, :reason
  from gone
    on conflict (dead_letter_id) do nothing
returning dead_letter_id::text as id;
