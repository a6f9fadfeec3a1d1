-- Which version a name means is what operators activated, and stands in the store: see decision 0154. Who stored a
-- workflow, and which project develops with this store: `holdfast dev` changes only what is its own.

-- phase: locks state.workflows
-- Of a workflow with its version, the name without; and the number of its version.
create function state.family_of(workflow text) returns text language sql immutable strict parallel safe as $$
  select regexp_replace(workflow, '\.v[1-9][0-9]{0,5}$', '')
$$;
create function state.version_of(workflow text) returns integer language sql immutable strict parallel safe as $$
  select coalesce(substring(workflow from '\.v([1-9][0-9]{0,5})$')::integer, 0)
$$;

alter table state.workflows
  -- Null: an earlier release stored it.
  add column stored_by        text,
  -- It is what its name without a version means.
  add column is_active        boolean not null default false,
  -- When and by whom it was activated last.
  add column activated_at     timestamptz,
  add column activated_by     text,
  add column activated_reason text,
  -- It becomes active as soon as heartbeats name all operations that it calls.
  add column awaits_agents    boolean not null default false,
  add constraint active_takes_tasks check (not is_active or retired_at is null),
  add constraint active_is_recorded check (not is_active or (activated_at, activated_by, activated_reason) is not null),
  add constraint awaited_is_not_active check (not awaits_agents or (not is_active and retired_at is null));
-- `place_version` decides where a statement says nothing.
alter table state.workflows alter column awaits_agents drop default;

-- What names meant until now goes on.
update state.workflows
   set is_active = true, activated_at = clock_timestamp(), activated_by = 'holdfast migrate',
       activated_reason = 'the newest version when versions began to be activated'
 where name in (select distinct on (state.family_of(name)) name
                  from state.workflows
                 where retired_at is null
                 order by state.family_of(name), by_operators desc, state.version_of(name) desc);
create unique index one_active_version on state.workflows (state.family_of(name)) where is_active;

-- One transaction at a time decides about the versions of a workflow.
create function state.lock_family(of_workflow text) returns boolean language plpgsql
  set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtext('state.workflows'), hashtext(state.family_of(of_workflow)));
  return true;
end
$$;

-- A further version awaits its Agents if it is newer than all that are active or wait, unless it is only to be stored.
create function state.place_version() returns trigger language plpgsql
  set search_path = pg_catalog, pg_temp as $$
begin
  perform state.lock_family(new.name);
  new.awaits_agents := coalesce(new.awaits_agents, true)
    and exists (select from state.workflows
                 where state.family_of(name) = state.family_of(new.name) and is_active
                   and (by_operators or not new.by_operators))
    and not exists (select from state.workflows
                     where state.family_of(name) = state.family_of(new.name) and (is_active or awaits_agents)
                       and (by_operators or not new.by_operators)
                       and state.version_of(name) >= state.version_of(new.name));
  return new;
end
$$;
create trigger place_version before insert on state.workflows for each row execute function state.place_version();

create function state.retire_version() returns trigger language plpgsql
  set search_path = pg_catalog, pg_temp as $$
begin
  new.is_active     := false;
  new.awaits_agents := false;
  return new;
end
$$;
create trigger retire_version before update of retired_at on state.workflows for each row
  when (new.retired_at is not null) execute function state.retire_version();

-- While a version takes tasks, one is active: if none is, the one that was active last, or else the newest. What
-- operators did not store or activate gives way to what they did.
create function state.keep_one_active() returns trigger language plpgsql
  security definer set search_path = pg_catalog, pg_temp as $$
declare
  family constant text := state.family_of(new.name);
  best   record;
begin
  select name, is_active into best
    from state.workflows
   where state.family_of(name) = family
     and retired_at is null
   order by by_operators desc, is_active desc, activated_at desc nulls last, state.version_of(name) desc
   limit 1;
  if best.name is null or best.is_active then
    return null;
  end if;
  update state.workflows set is_active = false where state.family_of(name) = family and is_active;
  update state.workflows
     set is_active = true, awaits_agents = false, activated_at = clock_timestamp(),
         activated_by     = coalesce(new.retired_by, new.stored_by, session_user),
         activated_reason = case when new.retired_at is not null then format('%s was retired: %s', new.name, new.retired_reason)
                                 else 'no other version takes tasks' end
   where name = best.name;
  return null;
end
$$;
create trigger keep_one_active after insert or update of retired_at, by_operators on state.workflows for each row
  execute function state.keep_one_active();

-- Makes a version what the name of its workflow means, also if it is retired. `as_awaited`: only if it still awaits its
-- Agents; otherwise a person decides, and what awaits Agents does no more. False: there is none, or it does not.
create function state.activate_workflow(named text, actor text, reason text, as_awaited boolean) returns boolean
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  family constant text := state.family_of(named);
begin
  perform state.lock_family(named);
  if not exists (select from state.workflows where name = named and (awaits_agents or not as_awaited)) then
    return false;
  end if;
  update state.workflows set is_active = false where state.family_of(name) = family and is_active and name <> named;
  update state.workflows
     set awaits_agents = false
   where state.family_of(name) = family
     and awaits_agents
     and (not as_awaited or state.version_of(name) <= state.version_of(named));
  update state.workflows
     set is_active = true, activated_at = clock_timestamp(), activated_by = actor, activated_reason = reason,
         by_operators = true, retired_at = null, retired_by = null, retired_reason = null
   where name = named
     and not is_active;
  return true;
end
$$;

create or replace function state.name_of_workflow(asked text) returns text language plpgsql stable
  security definer set search_path = pg_catalog, pg_temp as $$
declare
  found record;
begin
  select name, retired_at is not null as is_retired into found
    from state.workflows
   where name = asked
      or (state.family_of(name) = asked and is_active)
   order by name = asked desc
   limit 1;
  if found.name is null and not exists (select from state.workflows where state.family_of(name) = asked) then
    raise exception 'workflow.unknown: no workflow % is stored', asked using errcode = 'HF404';
  elsif found.name is null or found.is_retired then
    raise exception 'workflow.retired: the workflow % takes no new tasks', asked using errcode = 'HF410';
  end if;
  return found.name;
end
$$;

grant insert (stored_by, awaits_agents) on state.workflows to holdfast_submission;
grant update (is_active, activated_at, activated_by, activated_reason, awaits_agents, by_operators)
   on state.workflows to holdfast_operations;

create table state.installation (
  singleton boolean primary key default true check (singleton),
  -- Of the project whose `holdfast dev` uses this store; null: none does.
  project   uuid
);
insert into state.installation default values;
grant select on state.installation to holdfast_observer, holdfast_operations;

revoke execute on function state.activate_workflow(text, text, text, boolean) from public;
grant execute on function state.activate_workflow(text, text, text, boolean) to holdfast_operations;

update state.compatibility set schema_version = greatest(schema_version, 18);
