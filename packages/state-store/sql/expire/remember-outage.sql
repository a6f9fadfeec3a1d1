-- Requests or replies may not have arrived for so many milliseconds until now.
select state.remember_outage(:part, clock_timestamp() - :lasted::float8 * interval '1 millisecond');
