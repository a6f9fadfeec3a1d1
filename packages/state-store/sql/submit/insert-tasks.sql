-- Writes new tasks down, with their input and the first entry of their history: whose it is, if it
-- was enqueued.
with task as (
  select *
    from unnest(:task_ids::uuid[], :tenants::text[], :workflows::text[], :states::text[],
                :priorities::text[], :fairness_keys::text[], :fairness_weights::smallint[],
                :reply_tos::text[], :correlation_ids::text[], :business_keys::text[], :labels::jsonb[],
                :begin_ats::float8[], :complete_bys::float8[], :inputs::json[], :trace_contexts::text[],
                :enqueued_bys::text[], :submitted_bys::text[], :formats::smallint[])
      as task (task_id, tenant, workflow, process_state, priority, fairness_key, fairness_weight,
               reply_to, correlation_id, business_key, labels, begin_at, complete_by, input, trace_context,
               enqueued_by, submitted_by, format)
),
payload as (
  insert into state.task_payloads (task_id, input) select task_id, input from task
),
history as (
  insert into state.events (task_id, action, to_state, actor)
  select task_id, 'submit', process_state, coalesce(enqueued_by, :actor) from task
)
insert into state.tasks (task_id, tenant, workflow, process_state, priority, fairness_key, fairness_weight,
                         reply_to, correlation_id, business_key, labels, begin_at, complete_by, finished_at, trace_context,
                         submitted_by, format)
select task_id, tenant, workflow, process_state, priority, fairness_key, fairness_weight,
       reply_to, correlation_id, business_key, labels, to_timestamp(begin_at / 1000), to_timestamp(complete_by / 1000),
       case when process_state = 'processed' then clock_timestamp() end, trace_context, submitted_by, format
  from task;
