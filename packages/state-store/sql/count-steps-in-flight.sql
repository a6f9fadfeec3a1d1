-- How many steps of each lane are in flight, counted no further than the window.
select lane,
       (select count(*)
          from (select 1
                  from state.steps
                 where process_state = 'processing'
                   and steps.lane = asked.lane
                 limit :window) as counted)::integer as in_flight
  from unnest(:lanes::text[]) as asked (lane);
