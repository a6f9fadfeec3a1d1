-- Keeps replies that changed nothing, with the reason.
insert into state.rejected_replies (task_id, step, attempt, reason, sender, body)
select task_id, step, attempt, reason, sender, body
  from unnest(:task_ids::uuid[], :steps::text[], :attempts::integer[], :reasons::text[],
              :senders::text[], :bodies::bytea[])
    as rejected (task_id, step, attempt, reason, sender, body);
