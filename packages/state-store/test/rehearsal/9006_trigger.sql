-- Rehearsal: a trigger on a full table, and its function replaced afterwards.

-- phase: locks state.tasks
create or replace function state.name_channel() returns trigger language plpgsql as $$
begin
  new.channel := trim(new.channel);
  return new;
end
$$;
drop trigger if exists name_channel on state.tasks;
create trigger name_channel before insert on state.tasks for each row execute function state.name_channel();

-- phase: locks state.tasks
create or replace function state.name_channel() returns trigger language plpgsql as $$
begin
  new.channel := lower(trim(new.channel));
  return new;
end
$$;
drop trigger name_channel on state.tasks;
create trigger name_channel before insert on state.tasks for each row
  when (new.channel <> 'unknown') execute function state.name_channel();
