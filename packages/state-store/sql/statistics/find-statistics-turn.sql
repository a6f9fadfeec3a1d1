-- Says from where to go on counting, once the turn is taken: the ids that were seen last, gaps to
-- be looked at again, and the months in which the history can have become longer since. A task that
-- is not finished may get further rows, and so may one that was not when rows were counted last;
-- all others are of tasks that were submitted since.
with open as materialized (
  select month::text as month
    from state.partitions
   where exists (select from state.tasks
                  where task_id >= first_id and task_id < end_id
                    and finished_at is null)
)
select counted_to::float8 as counted_to,
       (select case when is_called then last_value else 0 end from state.events_id_seq)::float8 as last_id,
       array(select month from open) as open_months,
       array(select month::text
               from state.partitions
              where month::text = any (progress.months)
                 or month::text in (select month from open)
                 -- A transaction may last for long, or the clock be set back by some hours.
                 or end_id > state.first_id_of(progress.counted_at - interval '1 day')
                 or progress.counted_at is null) as months,
       -- Who writes to the history has a transaction id by then, so every later one is of a later
       -- row.
       pg_snapshot_xmax(pg_current_snapshot())::text as next_xid,
       (select coalesce(json_agg(json_build_object('from', from_id, 'to', to_id,
                 'until', until::text,
                 'isLast', coalesce(until <= pg_snapshot_xmin(pg_current_snapshot()), false)) order by from_id), '[]')
          from (select from_id, to_id, until
                  from state.statistics_gaps
                 where until is null
                    or until <= pg_snapshot_xmin(pg_current_snapshot())
                    or from_id > counted_to - :gap_span::bigint
                 order by from_id
                 limit :most_gaps) as due) as gaps
  from state.statistics_progress as progress;
