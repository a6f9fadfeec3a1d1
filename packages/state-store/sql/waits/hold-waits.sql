-- Has the waits wait for a quarter of an hour whose deadline lies in a jump of the store's clock,
-- and alerts an operator.
with held as (
  update state.waits
     set due_at = statement_timestamp() + interval '15 minutes'
   where due_at <= statement_timestamp()
     and came_at is null
     and deadline > to_timestamp(:expected::float8 / 1000)
  returning task_id
)
select count(*)::integer as held,
       state.raise_alert('store.clock_jumped', 'store.clock_jumped',
         format('the store''s clock says %s, and should say %s: %s waits that are due by that are held for 15 minutes',
                statement_timestamp(), to_timestamp(:expected::float8 / 1000), count(*)))::text as alert
  from held;
