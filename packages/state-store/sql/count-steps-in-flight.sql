-- How many steps of each lane are in flight. Lanes without any are left out.
select lane, count(*)::integer as in_flight
  from state.steps
 where process_state = 'processing'
 group by lane;
