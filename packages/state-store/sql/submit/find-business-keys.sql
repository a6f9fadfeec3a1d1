-- Which tasks business keys stand for.
select business_keys.tenant, business_keys.family, business_keys.key, task_id
  from unnest(:tenants::text[], :families::text[], :keys::text[]) as asked (tenant, family, key)
  join state.business_keys on business_keys.tenant = asked.tenant
                          and business_keys.family = asked.family
                          and business_keys.key    = asked.key;
