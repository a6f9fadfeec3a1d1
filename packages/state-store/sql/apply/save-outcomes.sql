-- Keeps what attempts returned, or what went wrong with them, and the input that an operator
-- corrected.
insert into state.step_payloads as kept (task_id, name, input, output, fault_detail)
select task_id, name, input, output, fault_detail
  from unnest(:task_ids::uuid[], :names::text[], :inputs::json[], :outputs::json[],
              :fault_details::text[])
    as outcome (task_id, name, input, output, fault_detail)
    on conflict (task_id, name) do update
   set input        = coalesce(excluded.input, kept.input),
       output       = coalesce(excluded.output, kept.output),
       fault_detail = excluded.fault_detail;
