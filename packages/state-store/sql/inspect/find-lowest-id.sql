-- Before every task that was submitted in the last so many milliseconds: ids begin with their time.
select (lpad(to_hex(greatest(0, extract(epoch from clock_timestamp()) * 1000 - :within::float8)::bigint), 12, '0')
        || repeat('0', 20))::uuid as after;
