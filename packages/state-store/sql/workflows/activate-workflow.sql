-- Makes a version what the name of its workflow means.
select state.activate_workflow(:name, :actor, :reason, :as_awaited) as is_activated;
