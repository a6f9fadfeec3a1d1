-- Has those wait for each other who hold signals for a business key, and who submit a task with it.
select count(pg_advisory_xact_lock(hashtextextended(box, 26)))::integer as locked
  from (select distinct format('%s %s %s', tenant, family, key) as box
          from unnest(:tenants::text[], :families::text[], :keys::text[]) as asked (tenant, family, key)
         order by 1) as boxes;
