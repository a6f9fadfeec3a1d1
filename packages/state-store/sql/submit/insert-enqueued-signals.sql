-- Keeps signals that came by message for tasks that wait in the inbox, until these are tasks. Says
-- of which it did, by their places.
insert into state.signal_inbox (task_id, name, signal_id, payload, bytes, reply_to, correlation_id, sent_by)
select task_id, name, signal_id, payload, octet_length(payload::text), reply_to, correlation_id, sent_by
  from unnest(:task_ids::uuid[], :names::text[], :signal_ids::text[], :payloads::jsonb[], :reply_tos::text[],
              :correlation_ids::text[], :sent_bys::text[])
    as sent (task_id, name, signal_id, payload, reply_to, correlation_id, sent_by)
 where exists (select from state.inbox where inbox.task_id = sent.task_id)
returning task_id;
