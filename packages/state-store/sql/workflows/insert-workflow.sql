-- Stores a definition under its name, unless there is one.
insert into state.workflows (name, content_hash, format, definition)
values (:name, :content_hash, :format, :definition)
    on conflict (name) do nothing
returning name;
