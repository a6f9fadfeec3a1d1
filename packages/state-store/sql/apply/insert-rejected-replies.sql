-- Keeps replies that changed nothing, with the reason. `:bodies` holds all bodies, one after the
-- other: a list of them would be sent as text, at twice their bytes.
insert into state.rejected_replies (task_id, step, attempt, reason, sender, body)
select task_id, step, attempt, reason, sender,
       substring(:bodies::bytea from (sum(length) over (order by nth) - length + 1)::integer for length)
  from unnest(:task_ids::uuid[], :steps::text[], :attempts::integer[], :reasons::text[],
              :senders::text[], :lengths::integer[]) with ordinality
    as rejected (task_id, step, attempt, reason, sender, length, nth)
 order by nth;
