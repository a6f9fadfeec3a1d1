-- Rehearsal: what services of earlier releases use is taken away, so these are refused.

-- phase: online
drop view state.order_process;

update state.compatibility set schema_version = 13, oldest_reader = 13;
