-- Rehearsal: a column is filled in batches, each committed by itself: no row is locked for longer
-- than its batch.

-- phase: online
create or replace procedure state.fill_bytes() language plpgsql as $$
declare
  latest uuid := '00000000-0000-0000-0000-000000000000';
begin
  loop
    with batch as materialized (
      select task_id from state.task_payloads where task_id > latest order by task_id limit 5000
    ),
    filled as (
      update state.task_payloads
         set bytes = octet_length(input::text)
        from batch
       where task_payloads.task_id = batch.task_id and bytes is null
    )
    select max(task_id::text)::uuid into latest from batch;
    exit when latest is null;
    commit;
  end loop;
end
$$;

-- phase: apart
call state.fill_bytes();

-- phase: online
drop procedure state.fill_bytes();
