-- Records which tasks failed where, and how often failures of each fingerprint happened.
with failed as materialized (
  select *
    from unnest(:task_ids::uuid[], :steps::text[], :fingerprints::text[], :halted::boolean[], :ats::float8[])
      as failed (task_id, step, fingerprint, halted, at)
),
known as (
  insert into state.failures as kept (task_id, step, fingerprint, halted, at)
  select task_id, step, fingerprint, halted, to_timestamp(at / 1000)
    from failed
   order by task_id, step
      on conflict (task_id, step) do update
     set fingerprint = excluded.fingerprint,
         halted      = excluded.halted,
         at          = excluded.at
)
insert into state.failure_groups as kept (fingerprint, workflow, step, fault_code, message, failures, first_at, last_at)
select fingerprint, workflow, step, fault_code, message, failures, to_timestamp(first_at / 1000),
       to_timestamp(last_at / 1000)
  from unnest(:group_fingerprints::text[], :workflows::text[], :group_steps::text[], :fault_codes::text[],
              :messages::text[], :counts::bigint[], :first_ats::float8[], :last_ats::float8[])
    as counted (fingerprint, workflow, step, fault_code, message, failures, first_at, last_at)
 order by fingerprint
    on conflict (fingerprint) do update
   set failures = kept.failures + excluded.failures,
       first_at = least(kept.first_at, excluded.first_at),
       last_at  = greatest(kept.last_at, excluded.last_at);
