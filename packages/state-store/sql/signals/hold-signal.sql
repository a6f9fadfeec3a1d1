-- Holds a signal for the task that a business key will stand for, unless it is held already. One
-- whose time is over is held anew.
insert into state.mailbox as held (tenant, family, key, name, signal_id, request_hash, payload, contract, sent_by, expires_at)
select :tenant, :family, :key, :name, :signal_id, :request_hash, :payload::json, :contract, :sent_by,
       state.reached_now() + :hold_for::float8 * interval '1 millisecond'
 where (select count(*) from state.mailbox
         where tenant = :tenant and family = :family and key = :key and name = :name
           and expires_at > state.trusted_now()) < 100
    on conflict on constraint held_once do update
   set request_hash = excluded.request_hash,
       payload      = excluded.payload,
       contract     = excluded.contract,
       sent_by      = excluded.sent_by,
       at           = clock_timestamp(),
       expires_at   = excluded.expires_at
 where held.expires_at <= state.trusted_now()
returning (extract(epoch from expires_at) * 1000)::float8 as until;
