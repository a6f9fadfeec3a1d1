-- Which tasks idempotency keys stand for.
select submissions.tenant, idempotency_key as key, request_hash as hash, task_id
  from unnest(:tenants::text[], :keys::text[]) as asked (tenant, key)
  join state.submissions on submissions.tenant = asked.tenant and idempotency_key = asked.key;
