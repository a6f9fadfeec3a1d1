-- Records what Agents say of attempts that they are at work on, and moves their deadlines:
-- `complete_within` from the start, or from the last heartbeat, but no longer than `extend_up_to`
-- from the start. `completeByOf` of the domain says the same. An attempt that is over, a wrong
-- token and another Agent's attempt match nothing. The Agent has the request, so the broker had it.
-- Locked rows are looked up by an array, so that PostgreSQL 18 does not crash (decision 0086); a
-- row that a decision holds is skipped, and the next heartbeat counts.
with sign as materialized (
  select found.task_id, found.name, given.progress, found.started_at,
         case when given.beats then statement_timestamp() else found.heartbeat_at end as heartbeat_at
    from unnest(:task_ids::uuid[], :names::text[], :attempts::integer[], :tokens::text[], :agents::text[],
                :running_fors::float8[], :beats::boolean[], :progresses::json[])
      as given (task_id, name, attempt, token, agent, running_for, beats, progress)
   cross join lateral (
     select task_id, name, heartbeat_at,
            greatest(start_by - start_within * interval '1 millisecond',
                     least(start_by, statement_timestamp() - given.running_for * interval '1 millisecond')) as started_at
       from state.steps
      where steps.task_id = any (array_fill(given.task_id, array[1]))
        and steps.name        = given.name
        and steps.attempt     = given.attempt
        and steps.token::text = given.token
        and coalesce(steps.agent, steps.lane) = given.agent
        and resend_at is not null
        and task_id between :first_id and :last_id
        for no key update skip locked
   ) as found
)
update state.steps
   set confirmed_at = coalesce(steps.confirmed_at, statement_timestamp()),
       started_at    = sign.started_at,
       heartbeat_at  = sign.heartbeat_at,
       progress      = coalesce(sign.progress, steps.progress),
       complete_by   = greatest(
         sign.started_at + complete_within * interval '1 millisecond',
         case when sign.heartbeat_at is not null and extend_up_to is not null
              then least(sign.heartbeat_at + complete_within * interval '1 millisecond',
                         sign.started_at + extend_up_to * interval '1 millisecond') end,
         least(statement_timestamp(), steps.complete_by))
  from sign
 where steps.task_id = sign.task_id
   and steps.name    = sign.name
   and steps.task_id between :first_id and :last_id;
