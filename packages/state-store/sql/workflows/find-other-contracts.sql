-- Workflows that take tasks and were made with other contracts of these operations than `:contracts` names: of each
-- contract the latest, at most 100.
select distinct on (asked.key, theirs.value) asked.key as operation, workflows.name as workflow
  from jsonb_each_text(:contracts::jsonb) as asked
 cross join state.workflows
 cross join lateral jsonb_each_text(workflows.contracts) as theirs
 where workflows.name <> :name
   and workflows.retired_at is null
   and workflows.format <= :format
   and theirs.key = asked.key
   and theirs.value <> asked.value
 order by asked.key, theirs.value, workflows.created_at desc
 limit 100;
