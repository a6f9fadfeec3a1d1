-- The months of the state store, the last one first: how many rows their tables have, as estimated,
-- and how large they are.
select to_char(partitions.month, 'YYYY_MM') as name, partitions.month::text as first_day,
       state.month_after(partitions.month)::text as end_day, sizes.row_count, sizes.bytes
  from state.partitions
 cross join lateral (
         select coalesce(sum(greatest(reltuples, 0)), 0)::float8 as row_count,
                coalesce(sum(pg_total_relation_size(pg_class.oid)), 0)::float8 as bytes
           from pg_class
          where relnamespace = 'state'::regnamespace
            and relkind = 'r'
            and right(relname, 8) = to_char(partitions.month, '_YYYY_MM')
       ) as sizes
 order by partitions.month desc
 limit 1000;
