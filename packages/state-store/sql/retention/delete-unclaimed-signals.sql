-- Deletes signals whose tasks did not come in the time for which they were held, and alerts a
-- person; returns how many.
with expired as (
  select id from state.mailbox
   where expires_at <= state.trusted_now()
   order by expires_at
   limit :batch
     for update skip locked
),
deleted as (
  delete from state.mailbox
   using expired
   where mailbox.id = expired.id
  returning mailbox.name, mailbox.family
)
select count(*)::integer as deleted,
       (case when count(*) > 0
             then state.raise_alert('signal.unclaimed', 'signal.unclaimed',
                    format('%s signals were held for tasks that did not come, such as %s for %s',
                           count(*), min(name), min(family))) end)::text as alert
  from deleted;
