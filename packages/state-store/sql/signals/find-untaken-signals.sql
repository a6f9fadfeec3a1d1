-- For each wait that is due, the oldest signal of its name that was not taken, of several waits of
-- one name each another. Of payloads so many bytes in all, but that of the first: others are null,
-- and are to be asked for again. The tasks are locked.
with asked as (
  select task_id, step, name, row_number() over (partition by task_id, name order by nth) as place
    from unnest(:task_ids::uuid[], :steps::text[], :names::text[]) with ordinality as asked (task_id, step, name, nth)
),
found as (
  select asked.task_id, asked.step, untaken.id, untaken.payload, octet_length(untaken.payload::text) as bytes
    from asked
   cross join lateral (
     select id, payload
       from state.signals
      where signals.task_id = asked.task_id
        and signals.name = asked.name
        and taken_by is null
        and not is_late
      order by id
     offset asked.place - 1
      limit 1) as untaken
)
select task_id, step, id::text as id, fits,
       case when fits then payload end as payload
  from (select *,
               sum(bytes) over (order by task_id, step) <= :most_bytes::float8
               or row_number() over (order by task_id, step) = 1 as fits
          from found) as sized;
