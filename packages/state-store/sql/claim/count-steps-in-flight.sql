-- How many steps of each lane are in flight, and how many of them one Scheduler has claimed. Lanes without any
-- are left out.
select lane, count(*)::integer as in_flight,
       (count(*) filter (where locked_by = :locked_by))::integer as own
  from (select lane, locked_by
          from state.steps
         where process_state = 'processing'
           and task_id between :first_id and :last_id
         order by complete_by) as taken
 group by lane;
