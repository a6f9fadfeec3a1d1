-- Tasks that match, newest first. Looks at `scan` tasks at most, however many there are, by one index: that of the
-- ids, of open tasks, of business keys or of labels. `last_id` is the last of them, from which the next page goes
-- on; null when there are no more. A condition is `in` with a list, `like` with a pattern, or `exists` with a truth.
with looked as materialized (
  (select tasks.*
     from state.tasks
    where :by::text = 'id'
      and task_id < :before
      and task_id >= :from
    order by task_id desc
    limit :scan)
  union all
  (select tasks.*
     from state.tasks
    where :by::text = 'open'
      and finished_at is null
      and task_id < :before
      and task_id >= :from
    order by task_id desc
    limit :scan)
  union all
  (select tasks.*
     from state.tasks
    where :by::text = 'key'
      -- As a range, so that only the index of keys has this order.
      and business_key between :value::text and :value::text
      and task_id < :before
      and task_id >= :from
    order by business_key desc, task_id desc
    limit :scan)
  union all
  (select tasks.*
     from (select task_id
             from state.task_labels
            where :by::text = 'label'
              and name  = :label::text
              and value = :value::text
              and task_id < :before
              and task_id >= :from
            order by task_id desc
            limit :scan) as labelled
     join state.tasks on tasks.task_id = labelled.task_id)
),
matching as (
  select *
    from looked
   where tenant = :tenant
     and not exists (
           select
             from unnest(:fields::text[], :operators::text[], :operands::json[])
                  as condition (field, operator, operand)
            cross join lateral (select case field
                                         when 'workflow'      then looked.workflow
                                         when 'state'         then looked.process_state
                                         when 'priority'      then looked.priority
                                         when 'key'           then looked.business_key
                                         when 'faultCode'     then looked.fault_code
                                         when 'correlationId' then looked.correlation_id
                                         -- `label.` and its name.
                                         else looked.labels ->> substring(field from 7)
                                       end as value) as part
            where not coalesce(case operator
                                 when 'in'     then exists (select from json_array_elements_text(operand) as one (value)
                                                             where one.value = part.value)
                                 when 'like'   then part.value like operand #>> '{}'
                                 when 'exists' then (part.value is not null) = (operand #>> '{}')::boolean
                               end, false))
   order by task_id desc
   limit :most
)
select (select coalesce(json_agg(json_build_object(
                 'taskId', task_id, 'workflow', workflow, 'goal', goal, 'processState', process_state,
                 'version', version, 'priority', priority,
                 'fairness', case when fairness_key is not null
                   then json_build_object('key', fairness_key, 'weight', fairness_weight) end,
                 'faultCode', fault_code, 'key', business_key, 'labels', coalesce(labels, '{}'), 'notBefore', begin_at,
                 'correlationId', correlation_id, 'paused', paused_at is not null,
                 'createdAt', created_at, 'updatedAt', updated_at, 'finishedAt', finished_at)
                 order by task_id desc), '[]')
          from matching
         where not :count_only::boolean) as items,
       (select count(*)::integer from matching) as matches,
       case when (select count(*) from matching) = :most then (select task_id from matching order by task_id limit 1)
            when (select count(*) from looked) = :scan then (select task_id from looked order by task_id limit 1)
       end as last_id;
