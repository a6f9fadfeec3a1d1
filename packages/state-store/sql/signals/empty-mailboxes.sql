-- Hands signals that were held for business keys to the tasks that have these now, in the order in
-- which they came. One whose contract is not that of its task is kept with the task, and taken by
-- no step; a person is alerted.
with asked as (
  select *
    from unnest(:task_ids::uuid[], :tenants::text[], :families::text[], :keys::text[], :contracts::json[])
      as asked (task_id, tenant, family, key, contracts)
),
held as (
  delete from state.mailbox
   using asked
   where mailbox.tenant = asked.tenant
     and mailbox.family = asked.family
     and mailbox.key = asked.key
  returning asked.task_id, mailbox.*, expires_at > state.trusted_now() as is_held,
            asked.contracts ->> mailbox.name is not distinct from mailbox.contract as fits
),
handed as (
  insert into state.signals (task_id, name, signal_id, request_hash, payload, sent_by, is_late, at)
  select task_id, name, signal_id, request_hash, payload, sent_by, not fits, at
    from held
   where is_held
   order by id
  returning is_late, task_id, name
)
select count(*)::integer as handed,
       (case when count(*) filter (where is_late) > 0
             then state.raise_alert('signal.invalid', 'signal.invalid',
                    format('%s signals that were held for tasks do not fit the contract of their version, the first %s of the task %s',
                           count(*) filter (where is_late), min(name) filter (where is_late),
                           min(task_id::text) filter (where is_late))) end)::text as alert
  from handed;
