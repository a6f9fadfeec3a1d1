-- Keeps unreadable messages, and alerts an operator: once a minute for each queue and reason, with
-- the number of messages since the alert before. `:bodies` holds all bodies, one after the other.
with dead_letter as (
  insert into state.dead_letters (queue, reason, detail, message_id, type, sender, body, size, properties)
  select queue, reason, detail, message_id, type, sender,
         substring(:bodies::bytea from (sum(length) over (order by nth) - length + 1)::integer for length),
         size, properties::json
    from unnest(:queues::text[], :reasons::text[], :details::text[], :message_ids::text[], :types::text[],
                :senders::text[], :lengths::integer[], :sizes::integer[], :properties::text[]) with ordinality
      as dead_letter (queue, reason, detail, message_id, type, sender, length, size, properties, nth)
   order by nth
  returning id, queue, reason, at
),
kind as (
  select queue, reason, count(*)::integer as dead_letters, min(id) as first_id, min(at) as at
    from dead_letter
   group by queue, reason
),
counted as (
  insert into state.dead_letter_alerts as known (queue, reason, raised_at, reported)
  select queue, reason, statement_timestamp(), dead_letters
    from kind
   order by queue, reason
      on conflict (queue, reason) do update
     set raised_at = case when known.raised_at < statement_timestamp() - interval '1 minute'
                          then excluded.raised_at else known.raised_at end,
         reported      = case when known.raised_at < statement_timestamp() - interval '1 minute'
                          then known.unreported + excluded.reported else known.reported end,
         unreported    = case when known.raised_at < statement_timestamp() - interval '1 minute'
                          then 0 else known.unreported + excluded.reported end
  returning queue, reason, raised_at, reported
),
due as (
  select kind.queue, kind.reason, kind.first_id, kind.at, counted.reported
    from kind
    join counted on counted.queue = kind.queue and counted.reason = kind.reason
   where counted.raised_at = statement_timestamp()
),
alert as (
  insert into state.alerts (episode, kind, code, detail, messages)
  select first_id, 'message.dead', reason, queue, reported from due
)
insert into state.outbox (subject, channel, seq, body)
select 'dead-letter:' || first_id, 'alert', 1,
       json_build_object('taskId', null, 'episode', first_id, 'kind', 'message.dead', 'step', null,
                         'code', reason, 'detail', queue, 'messages', reported, 'at', at)
  from due;
