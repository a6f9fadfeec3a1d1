-- Takes submissions out of the inbox that become no task, keeps why, and frees their keys. What
-- another process has taken is left out of the answer.
with asked as (
  select *
    from unnest(:task_ids::uuid[], :codes::text[], :details::text[], :errors::jsonb[])
      as refused (task_id, code, detail, errors)
),
gone as (
  delete from state.inbox
   where task_id in (select task_id from asked)
  returning task_id, submission, workflow, submitter
),
requests as (
  update state.submissions
     set expires_at = '-infinity', request_hash = 'refused'
    from gone
   where submissions.tenant          = 'default'
     and submissions.idempotency_key = left(gone.submission ->> 'idempotencyKey', 300)
     and submissions.task_id         = gone.task_id
),
names as (
  delete from state.business_keys
   using gone
   where business_keys.tenant  = 'default'
     and business_keys.family  = state.family_of(gone.workflow)
     and business_keys.key     = left(gone.submission ->> 'key', 300)
     and business_keys.task_id = gone.task_id
)
insert into state.refusals (task_id, submitter, idempotency_key, correlation_id, code, detail, errors)
select task_id, gone.submitter, left(gone.submission ->> 'idempotencyKey', 300),
       left(gone.submission ->> 'correlationId', 300), asked.code, asked.detail, asked.errors
  from gone
  join asked using (task_id)
 order by task_id
    -- Enqueued twice under its id by transactions at a time: the first refusal stays.
    on conflict (task_id) do nothing
returning task_id;
