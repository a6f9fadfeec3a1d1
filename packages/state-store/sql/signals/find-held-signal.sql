-- The signal of that id that is held for a business key.
select request_hash, (extract(epoch from expires_at) * 1000)::float8 as until
  from state.mailbox
 where tenant = :tenant and family = :family and key = :key and name = :name and signal_id = :signal_id;
