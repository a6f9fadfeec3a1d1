-- Puts notices into the outbox, in the order in which they are given, and keeps the alerts for
-- people.
with notice as (
  select *
    from unnest(:subjects::text[], :channels::text[], :seqs::integer[], :addresses::text[],
                :correlation_ids::text[], :bodies::json[], :trace_contexts::text[])
      with ordinality as notice (subject, channel, seq, address, correlation_id, body, trace_context, place)
),
alert as (
  insert into state.alerts (task_id, episode, kind, step, code, detail)
  select (body ->> 'taskId')::uuid, (body ->> 'episode')::integer, body ->> 'kind', body ->> 'step',
         body ->> 'code', body ->> 'detail'
    from notice
   where channel = 'alert'
)
insert into state.outbox (subject, channel, seq, address, correlation_id, body, trace_context)
select subject, channel, seq, address, correlation_id, body, trace_context
  from notice
 order by place;
