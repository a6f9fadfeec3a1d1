-- Which of these workflows are what their names without a version mean.
select name from state.workflows where name = any(:names) and is_active;
