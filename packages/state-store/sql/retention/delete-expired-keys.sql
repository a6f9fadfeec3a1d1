-- Deletes idempotency keys that stand for nothing any more; returns how many.
with expired as (
  select tenant, idempotency_key
    from state.submissions
   where expires_at <= state.trusted_now()
   order by expires_at
   limit :batch
     for update skip locked
),
deleted as (
  delete from state.submissions
   using expired
   where submissions.tenant          = expired.tenant
     and submissions.idempotency_key = expired.idempotency_key
  returning 1
)
select count(*)::integer as deleted from deleted;
