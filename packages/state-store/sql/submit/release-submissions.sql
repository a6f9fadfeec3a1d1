-- Frees idempotency keys that were just taken for tasks that are not written after all.
update state.submissions
   set expires_at = '-infinity'
  from unnest(:tenants::text[], :keys::text[]) as asked (tenant, key)
 where submissions.tenant          = asked.tenant
   and submissions.idempotency_key = asked.key;
