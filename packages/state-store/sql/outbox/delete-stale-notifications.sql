-- Deletes notifications that could not be sent for too long: a status after a day, as in its queue;
-- others after thirty. Returns how many.
with stale as (
  select id
    from state.outbox
   where at < (select state.trusted_now())
              - case channel when 'status' then interval '1 day' else interval '30 days' end
   order by id
   limit 10000
     for update skip locked
),
deleted as (
  delete from state.outbox using stale where outbox.id = stale.id returning 1
)
select count(*)::integer as deleted from deleted;
