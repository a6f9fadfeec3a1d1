-- Takes signals out of the inbox that no task gets, and keeps why. What another process has taken
-- is left out of the answer.
with asked as (
  select *
    from unnest(:numbers::bigint[], :codes::text[], :details::text[], :errors::jsonb[])
      as refused (number, code, detail, errors)
),
gone as (
  delete from state.signal_inbox
   where number in (select number from asked)
  returning number, task_id, submitter, name, signal_id
)
insert into state.signal_refusals (number, task_id, submitter, name, signal_id, code, detail, errors)
select number, gone.task_id, gone.submitter, gone.name, gone.signal_id, asked.code, asked.detail, asked.errors
  from gone
  join asked using (number)
 order by number
returning number::text as number;
