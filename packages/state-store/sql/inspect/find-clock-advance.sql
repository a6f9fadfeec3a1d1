-- By how many milliseconds the clock of this database is ahead of its server's: `holdfast dev` can
-- advance it.
select (extract(epoch from now() - pg_catalog.now()) * 1000)::float8 as ahead;
