-- Stores a definition under its name, with the contracts that its steps need, unless there is one.
-- `awaits_agents` is false for one that is only to be stored.
insert into state.workflows (name, content_hash, format, definition, contracts, stored_by, awaits_agents)
values (:name, :content_hash, :format, :definition, :contracts::jsonb, :stored_by, :awaits_agents)
    on conflict (name) do nothing
returning name;
