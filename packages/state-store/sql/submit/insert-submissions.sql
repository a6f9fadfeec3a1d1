-- Takes idempotency keys for new tasks. A key that stands for another task is left out of the
-- answer, until it has expired, by a clock that has not jumped ahead, and was not set back when the
-- key was taken. `keeps` is how long each is kept, in milliseconds; that of a key which was taken
-- when its submission was enqueued stays.
insert into state.submissions as taken (tenant, idempotency_key, request_hash, task_id, expires_at)
select tenant, idempotency_key, request_hash, task_id,
       (select state.reached_now()) + keep * interval '1 millisecond'
  from (select distinct on (tenant, idempotency_key) *
          from unnest(:tenants::text[], :keys::text[], :hashes::text[], :task_ids::uuid[],
                      :keeps::float8[])
               with ordinality as submission (tenant, idempotency_key, request_hash, task_id, keep, place)
         order by tenant, idempotency_key, place) as first
    on conflict (tenant, idempotency_key) do update
   set request_hash = excluded.request_hash,
       task_id      = excluded.task_id,
       expires_at   = case when taken.task_id = excluded.task_id then taken.expires_at else excluded.expires_at end
 where taken.expires_at <= (select state.trusted_now())
    or taken.task_id = excluded.task_id
returning task_id;
