-- Writes new steps down: all but undos when a task is submitted, its undos when its undo begins.
insert into state.steps (task_id, name, kind, lane, agent, band, process_state, rank, not_before,
                         admitted, start_within, complete_within, extend_up_to, format, fault_code)
select task_id, name, kind, lane, agent, band, process_state, to_timestamp(rank / 1000),
       to_timestamp(not_before / 1000), admitted, start_within, complete_within, extend_up_to, format, fault_code
  from unnest(:task_ids::uuid[], :names::text[], :kinds::text[], :lanes::text[],
              :agents::text[], :bands::smallint[],
              :states::text[], :ranks::float8[], :not_befores::float8[], :admitted::boolean[],
              :start_withins::integer[], :complete_withins::integer[], :extend_up_tos::integer[],
              :formats::smallint[], :fault_codes::text[])
    as step (task_id, name, kind, lane, agent, band, process_state, rank, not_before, admitted, start_within,
             complete_within, extend_up_to, format, fault_code);
