-- Waits whose time has come, the earliest first, locked, and in how many milliseconds the next
-- one's has. `:expected` is the time that it must be by a clock that does not jump; null: unknown.
-- Where the store's clock is a minute ahead of that, what became due by the jump is left alone.
with due as (
  select task_id, step, signal, audience, least(deadline, came_at) as ended_at, due_at
    from state.waits
   where due_at <= statement_timestamp()
     and (:expected::float8 is null
          or statement_timestamp() <= to_timestamp(:expected::float8 / 1000) + interval '60 seconds'
          or came_at is not null
          or deadline <= to_timestamp(:expected::float8 / 1000))
   order by due_at
   limit :most
     for no key update skip locked
)
select (select coalesce(json_agg(json_build_object(
                  'taskId', task_id, 'step', step, 'signal', signal, 'audience', audience,
                  'late', (extract(epoch from statement_timestamp() - ended_at) * 1000)::float8) order by due_at), '[]')
          from due) as due,
       (select (extract(epoch from due_at - statement_timestamp()) * 1000)::float8
          from state.waits
         where due_at > statement_timestamp()
         order by due_at
         limit 1) as next_in,
       (extract(epoch from statement_timestamp()) * 1000)::float8 as now,
       exists (select from state.workflows where format > 1) as are_used;
