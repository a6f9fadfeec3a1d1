-- Gives a workflow a noun for its tasks, unless another workflow that is in use has it: then it
-- returns no row.
insert into state.collections as taken (collection, family)
values (:collection, :family)
    on conflict (collection) do update
   set family = excluded.family
 where taken.family = excluded.family
    or not exists (select from state.workflows
                    where regexp_replace(name, '\.v[0-9]+$', '') = taken.family
                      and retired_at is null)
returning family;
