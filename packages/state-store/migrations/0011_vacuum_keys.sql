-- As many keys expire as are added. By default a fifth of the table would be dead before anybody cleans it up.
alter table state.submissions set (autovacuum_vacuum_scale_factor = 0.05);
