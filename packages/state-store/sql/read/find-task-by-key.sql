-- The task that a business key stands for: the one that has it or had it last, also while it waits
-- in the inbox. Keys of tasks that ended are forgotten after a while: then the newest task with
-- this key.
select coalesce(
         (select task_id
            from state.business_keys
           where business_keys.tenant = :tenant
             and family               = :family
             and key                  = :key),
         (select task_id
            from state.tasks
            -- As a range, so that the index of keys has this order.
           where business_key between :key::text and :key::text
             and tasks.tenant = :tenant
             and regexp_replace(workflow, '\.v[1-9][0-9]{0,5}$', '') = :family
           order by business_key desc, task_id desc
           limit 1)
       ) as task_id;
