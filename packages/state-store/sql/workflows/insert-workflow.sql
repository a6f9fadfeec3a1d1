-- Stores a definition under its name, with the contracts that its steps need, unless there is one.
insert into state.workflows (name, content_hash, format, definition, contracts)
values (:name, :content_hash, :format, :definition, :contracts::jsonb)
    on conflict (name) do nothing
returning name;
