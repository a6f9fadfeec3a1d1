-- A stored definition, its length, and the hashes of its contracts. One that is longer than any
-- valid one is left out: it is not to be parsed.
select case when octet_length(definition::text) <= :most_bytes then definition end as definition,
       octet_length(definition::text) as bytes, content_hash, contracts
  from state.workflows
 where name = :name;
