-- The bulk operation that an idempotency key stands for, and how many are open, of at most :most.
select (select json_build_object('id', id, 'hash', request_hash)
          from state.bulk_operations
         where tenant = :tenant and idempotency_key = :key::text)                  as known,
       (select count(*)::integer
          from (select from state.bulk_operations
                 where state in ('canary', 'running', 'verifying')
                 limit :most) as open)                                             as open;
