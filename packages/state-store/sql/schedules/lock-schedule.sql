-- Locks a schedule that is to fire by hand.
select id, definition, (extract(epoch from clock_timestamp()) * 1000)::float8 as now
  from state.schedules where id = :id for no key update;
