-- Keeps a message that nobody could read, and has a person told.
with letter as (
  insert into state.dead_letters (queue, reason, message_id, type, sender, body)
  values (:queue, :reason, :message_id, :type, :sender, :body)
  returning id, queue, reason, at
),
alert as (
  insert into state.alerts (episode, kind, code, detail)
  select id, 'message.dead', reason, queue from letter
)
insert into state.outbox (subject, channel, seq, body)
select 'dead-letter:' || id, 'alert', 1,
       json_build_object('taskId', null, 'episode', id, 'kind', 'message.dead', 'step', null,
                         'code', reason, 'detail', queue, 'at', at)
  from letter;
