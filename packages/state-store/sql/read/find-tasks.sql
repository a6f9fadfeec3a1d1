-- Tasks that match, newest first. Looks at `scan` tasks at most, however many there are, by one
-- index: that of the ids, of open tasks, of business keys, of labels, of waits or of failures. What
-- a task awaits are the names of its steps that wait: one that matches is enough. A text is
-- looked for in several: as an id, its beginning, a business key, an idempotency key, a correlation
-- id or a fault code or the beginning of one; of each beginning the first 1,000 of its index are
-- looked at. `last_id` is the last of them, from which the next page goes on; null when there are
-- no more. A condition is `in` with a list, `like` with a pattern, or `exists` with a truth.
with scanned as materialized (
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
  union all
  (select tasks.*
     from (select distinct task_id
             from state.waits
            where :by::text = 'awaiting'
              and task_id < :before
              and task_id >= :from
            order by task_id desc
            limit :scan) as waiting
     join state.tasks on tasks.task_id = waiting.task_id)
  union all
  (select tasks.*
     from (select distinct task_id
             from state.failures
            where :by::text = 'fingerprint'
              and fingerprint = :value::text
              and task_id < :before
              and task_id >= :from
            order by task_id desc
            limit :scan) as failed
     join state.tasks on tasks.task_id = failed.task_id)
  union all
  (select tasks.*
     from (select distinct task_id
             from ((select task_id
                      from state.tasks
                     where :by::text = 'text'
                       and task_id between :id_from::uuid and :id_to::uuid
                       and task_id < :before
                       and task_id >= :from
                     order by task_id desc
                     limit :scan)
                   union all
                   (select task_id
                      from state.tasks
                     where :by::text = 'text'
                       and business_key between :value::text and :value::text
                       and task_id < :before
                       and task_id >= :from
                     order by business_key desc, task_id desc
                     limit :scan)
                   union all
                   (select task_id
                      from state.tasks
                     where :by::text = 'text'
                       and correlation_id collate "C" between (:value::text collate "C") and (:value::text collate "C")
                       and task_id < :before
                       and task_id >= :from
                     order by correlation_id collate "C" desc, task_id desc
                     limit :scan)
                   union all
                   (select task_id
                      from (select task_id
                              from state.tasks
                             where :by::text = 'text'
                               and correlation_id collate "C" > :value::text collate "C"
                               -- What correlation ids are made of comes before it.
                               and correlation_id collate "C" < (:value::text || chr(127)) collate "C"
                             order by correlation_id collate "C"
                             limit 1000) as beginning)
                   union all
                   (select task_id
                      from state.submissions
                     where :by::text = 'text'
                       and submissions.tenant = :tenant
                       and idempotency_key = :value::text)
                   union all
                   (select task_id
                      from (select fingerprint
                              from state.failure_groups
                             where :by::text = 'text'
                               and fault_code >= :value::text collate "C"
                               and fault_code < (:value::text || chr(127)) collate "C"
                             order by fault_code
                             limit 1000) as failing
                     cross join lateral (
                       select failures.task_id
                         from state.failures
                        where failures.fingerprint = failing.fingerprint
                          and failures.task_id < :before
                          and failures.task_id >= :from
                        order by failures.task_id desc
                        limit :scan) as failed
                     order by task_id desc
                     limit :scan)) as candidates
            where task_id < :before
              and task_id >= :from
            order by task_id desc
            limit :scan) as named
     join state.tasks on tasks.task_id = named.task_id)
),
matching as (
  select *
    from scanned
   where tenant = :tenant
     and (:fingerprint::text is null
          or exists (select from state.failures
                      where failures.task_id = scanned.task_id and failures.fingerprint = :fingerprint::text))
     and not exists (
           select
             from unnest(:fields::text[], :operators::text[], :operands::json[])
                  as condition (field, operator, operand)
            cross join lateral (select case field
                                         when 'workflow'      then scanned.workflow
                                         when 'state'         then scanned.process_state
                                         when 'priority'      then scanned.priority
                                         when 'key'           then scanned.business_key
                                         when 'faultCode'     then scanned.fault_code
                                         when 'correlationId' then scanned.correlation_id
                                         when 'awaiting'      then
                                           (select step
                                              from state.waits
                                             where waits.task_id = scanned.task_id
                                               and case operator
                                                     when 'in'   then step in (select json_array_elements_text(operand))
                                                     when 'like' then step like operand #>> '{}'
                                                     else true
                                                   end
                                             limit 1)
                                         -- `label.` and its name.
                                         else scanned.labels ->> substring(field from 7)
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
         where not :count_only::boolean
            and not :ids_only::boolean) as items,
       (select count(*)::integer from matching) as matches,
       -- Only the ids and versions, where nothing else is asked for: in the same order.
       case when :ids_only::boolean
            then (select json_agg(json_build_array(task_id, version) order by task_id desc) from matching) end as ids,
       case when (select count(*) from matching) = :most then (select task_id from matching order by task_id limit 1)
            when (select count(*) from scanned) = :scan then (select task_id from scanned order by task_id limit 1)
       end as last_id;
