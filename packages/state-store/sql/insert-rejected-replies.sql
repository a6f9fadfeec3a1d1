-- Keeps replies that changed nothing, with the reason.
insert into state.rejected_replies (task_id, step, attempt, reason, sender, reply)
select task_id, step, attempt, reason, sender, reply
  from unnest(:task_ids::uuid[], :steps::text[], :attempts::integer[], :reasons::text[],
              :senders::text[], :replies::json[])
    as rejected (task_id, step, attempt, reason, sender, reply);
