-- Living instances of Agents with another contract of an operation than a stored workflow was made
-- with, or without the operation: at most 10 names of each, and 500 rows, those of workflows that
-- take tasks first. `known_by`: a workflow that was made with the contract that they have.
-- `is_later`: it is younger than the one that is needed. `:workflows`: these alone, with up to
-- 5,000 rows; and for them also the contracts of an operation that no instance has now and that
-- other stored workflows were made with, the latest 32. All versions with all others would be the
-- square of their number.
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
asked as materialized (
  select * from needed where :workflows::text[] is null or workflow = any (:workflows::text[])
),
offered as materialized (
  select agent, operation, contract, instance
    from state.agents
   cross join lateral unnest(operations, contracts) as announced (operation, contract)
   where lives_until > clock_timestamp()
   union all
  select agent, operation, contract, null
    from (select agent, operation, contract,
                 row_number() over (partition by agent, operation order by created_at desc, workflow) as place
            from made
           where :workflows::text[] is not null) as latest
   where place <= 32
),
differing as (
  select asked.workflow, asked.is_retired, asked.agent, asked.operation, asked.contract as needed,
         offered.contract as offered, offered.instance
    from asked
    join offered on offered.agent = asked.agent and offered.operation = asked.operation
   where offered.contract not in (asked.contract, '')
   union all
  select asked.workflow, asked.is_retired, asked.agent, asked.operation, asked.contract, '', seen.instance
    from asked
    join state.agents as seen on seen.agent = asked.agent
   where seen.lives_until > clock_timestamp()
     and seen.operations is not null
     and asked.operation <> all (seen.operations)
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
 limit case when :workflows::text[] is null then 500 else 5000 end;
