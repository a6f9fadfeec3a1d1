-- How many steps of each lane are in flight. Lanes without any are left out.
select lane, count(*)::integer as in_flight
  from (select lane
          from state.steps
         where process_state = 'processing'
           and task_id between :first_id and :last_id
         order by complete_by) as taken
 group by lane;
