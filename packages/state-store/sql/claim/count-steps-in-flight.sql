-- How many steps of each Agent are in flight, how many of them one Scheduler has claimed, and how
-- many are urgent. Agents without any are left out.
select agent as lane, count(*)::integer as in_flight,
       (count(*) filter (where locked_by = :locked_by))::integer as own,
       (count(*) filter (where band = 1))::integer as urgent
  from (select coalesce(agent, lane) as agent, locked_by, band
          from state.steps
         where process_state = 'processing'
           and task_id between :first_id and :last_id
         order by complete_by) as taken
 group by agent;
