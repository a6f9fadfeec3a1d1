-- Rehearsal: what services of earlier releases use is taken away, so these are refused.

-- phase: online
drop view state.order_process;

update state.compatibility set schema_version = 9008, oldest_reader = 9008;
