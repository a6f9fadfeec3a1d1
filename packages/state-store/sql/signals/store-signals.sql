-- Keeps signals with their tasks, each under the lock of its task, in the order of the tasks' ids:
-- see `state.store_signal`.
select nth::integer as nth, stored.outcome, stored.is_replay,
       (extract(epoch from stored.at) * 1000)::float8 as at
  from (select *
          from unnest(:task_ids::uuid[], :names::text[], :signal_ids::text[], :request_hashes::text[], :payloads::json[],
                      :sent_bys::text[], :steps::json[], :alerts_late::boolean[])
                 with ordinality
                 as sent (task_id, name, signal_id, request_hash, payload, sent_by, steps, alerts_late, nth)
         order by task_id, nth) as sent
 cross join lateral state.store_signal(sent.task_id, sent.name, sent.signal_id, sent.request_hash, sent.payload, sent.sent_by,
                                       array(select json_array_elements_text(sent.steps)), sent.alerts_late) as stored;
