-- Living instances of Agents with another contract of an operation than a stored workflow was made with, or without the
-- operation: at most 10 names of each, and 500 rows, those of workflows that take tasks first. `known_by`: a workflow that
-- was made with the contract that they have. `is_later`: it is younger than the one that is needed. With `:stored` also
-- the contracts that no instance has now and that another stored workflow was made with, and 5,000 rows.
with needed as materialized (
  select workflows.name as workflow, workflows.created_at, workflows.retired_at is not null as is_retired,
         split_part(asked.key, '.', 1) as agent, split_part(asked.key, '.', 2) as operation, asked.value as contract
    from state.workflows
   cross join lateral jsonb_each_text(workflows.contracts) as asked
   where workflows.format <= :format
),
-- How old a contract is, and a workflow that has its schemas.
made as materialized (
  select distinct on (agent, operation, contract) agent, operation, contract, workflow, created_at
    from needed
   order by agent, operation, contract, created_at, workflow
),
offered as materialized (
  select agent, operation, contract, instance
    from state.agents
   cross join lateral unnest(operations, contracts) as announced (operation, contract)
   where lives_until > clock_timestamp()
   union all
  select agent, operation, contract, null
    from made
   where :stored::boolean
),
differing as (
  select needed.workflow, needed.is_retired, needed.agent, needed.operation, needed.contract as needed,
         offered.contract as offered, offered.instance
    from needed
    join offered on offered.agent = needed.agent and offered.operation = needed.operation
   where offered.contract not in (needed.contract, '')
   union all
  select needed.workflow, needed.is_retired, needed.agent, needed.operation, needed.contract, '', seen.instance
    from needed
    join state.agents as seen on seen.agent = needed.agent
   where seen.lives_until > clock_timestamp()
     and seen.operations is not null
     and needed.operation <> all (seen.operations)
)
select differing.workflow, differing.is_retired, differing.agent, differing.operation, differing.needed, differing.offered,
       count(differing.instance)::integer as instances,
       coalesce((array_agg(differing.instance order by differing.instance)
                   filter (where differing.instance is not null))[1:10], '{}') as names,
       min(theirs.workflow) as known_by, coalesce(bool_or(theirs.created_at > ours.created_at), false) as is_later
  from differing
  join made as ours on ours.agent = differing.agent and ours.operation = differing.operation
                   and ours.contract = differing.needed
  left join made as theirs on theirs.agent = differing.agent and theirs.operation = differing.operation
                          and theirs.contract = differing.offered
 group by differing.workflow, differing.is_retired, differing.agent, differing.operation, differing.needed, differing.offered
 order by differing.is_retired, differing.workflow, differing.agent, differing.operation, differing.offered
 limit case when :stored::boolean then 5000 else 500 end;
