-- Workflows that take tasks and were made with other contracts of these operations than
-- `:contracts` names: of each contract the latest, of each operation the 10 latest contracts, and
-- at most 100.
select operation, workflow
  from (select operation, workflow,
               row_number() over (partition by operation order by created_at desc, workflow) as place
          from (select distinct on (asked.key, theirs.value)
                       asked.key as operation, workflows.name as workflow, workflows.created_at
                  from jsonb_each_text(:contracts::jsonb) as asked
                 cross join state.workflows
                 cross join lateral jsonb_each_text(workflows.contracts) as theirs
                 where workflows.name <> :name
                   and workflows.retired_at is null
                   and workflows.format <= :format
                   and theirs.key = asked.key
                   and theirs.value <> asked.value
                 order by asked.key, theirs.value, workflows.created_at desc) as latest) as placed
 where place <= 10
 order by place, operation
 limit 100;
