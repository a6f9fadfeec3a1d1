-- Deletes notifications that the broker has confirmed. Marks alerts that a queue received.
with sent as (
  delete from state.outbox
   where id = any(:ids::bigint[])
  returning id, channel, body
)
update state.alerts
   set told_at = clock_timestamp()
  from sent
 where sent.channel = 'alert'
   and sent.id = any(:delivered::bigint[])
   and alerts.kind    = sent.body ->> 'kind'
   and alerts.episode = (sent.body ->> 'episode')::integer
   and alerts.task_id is not distinct from (sent.body ->> 'taskId')::uuid
   and alerts.step    is not distinct from sent.body ->> 'step';
