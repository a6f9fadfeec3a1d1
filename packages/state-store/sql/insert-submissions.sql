-- Takes idempotency keys for new tasks. A key that is taken already is left out of the answer.
insert into state.submissions (tenant, idempotency_key, request_hash, task_id, expires_at)
select tenant, idempotency_key, request_hash, task_id, statement_timestamp() + interval '24 hours'
  from unnest(:tenants::text[], :keys::text[], :hashes::text[], :task_ids::uuid[])
    as submission (tenant, idempotency_key, request_hash, task_id)
    on conflict do nothing
returning task_id;
