-- Keeps what one of the audience has said. See `state.save_decision`.
select (extract(epoch from state.save_decision(:task_id::uuid, :step, :actor, :name, :decision, :reason, :form::json, :decides::boolean))
         * 1000)::float8 as at;
