-- Writes a new bulk operation.
insert into state.bulk_operations (tenant, action, step, output, patch, filter, actor, reason, idempotency_key, request_hash,
                                   canary, rate, paced_from, state, matched, waiting, ended_at)
values (:tenant, :action, :step::text, :output::json, :patch::json, :filter::json, :actor, :reason, :key::text, :hash,
        :canary, :rate, clock_timestamp() - interval '1 second' / :rate::float8, :state::text, :matched, :matched,
        case when :state::text = 'done' then clock_timestamp() end)
returning id;
