-- What people have said about steps, in the order in which they did.
select decisions.task_id, decisions.step, actor as id, name, decision, reason, form,
       (extract(epoch from at) * 1000)::float8 as at
  from unnest(:task_ids::uuid[], :steps::text[]) as asked (task_id, step)
  join state.decisions on decisions.task_id = asked.task_id
                      and (asked.step is null or decisions.step = asked.step)
 order by decisions.task_id, decisions.step, at, actor;
