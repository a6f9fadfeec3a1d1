-- Marks requests that the broker has confirmed, unless their steps have moved on already. Exactly
-- those in processing have `resend_at`; by their state they would be searched in an index that a
-- snapshot keeps full. Locked rows are looked up by an array, so that PostgreSQL 18 does not crash
-- (decision 0086).
with confirmed as materialized (
  select found.task_id, found.name
    from unnest(:task_ids::uuid[], :names::text[], :attempts::integer[]) as sent (task_id, name, attempt)
   cross join lateral (
     select task_id, name
       from state.steps
      where steps.task_id = any (array_fill(sent.task_id, array[1]))
        and steps.name    = sent.name
        and steps.attempt = sent.attempt
        and resend_at is not null
        and task_id between :first_id and :last_id
        and confirmed_at is null
        for no key update skip locked
   ) as found
)
update state.steps
   set confirmed_at = statement_timestamp()
  from confirmed
 where steps.task_id = confirmed.task_id
   and steps.name    = confirmed.name
   and steps.task_id between :first_id and :last_id;
