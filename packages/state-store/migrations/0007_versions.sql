-- Which version a name means is for operators to say. The login that faces customers adds the first version of a workflow,
-- and changes neither what a noun means nor which remote service an Agent wraps: see decision 0144.

-- phase: locks state.workflows, state.collections, state.remotes
create function state.decides_on_workflows() returns boolean
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select pg_has_role(current_user, 'holdfast_operations', 'usage') or pg_has_role(current_user, relowner, 'usage')
    from pg_class
   where oid = 'state.workflows'::regclass
$$;
revoke execute on function state.decides_on_workflows() from public;
grant execute on function state.decides_on_workflows() to holdfast_submission, holdfast_operations;

-- A version that operators did not store stands behind those that they did, whatever its number.
alter table state.workflows add column by_operators boolean not null default true;
alter table state.workflows alter column by_operators set default state.decides_on_workflows();
revoke insert on state.workflows from holdfast_submission;
grant insert (name, content_hash, format, definition) on state.workflows to holdfast_submission;

create function state.refuse_to_decide() returns trigger language plpgsql as $$
begin
  raise exception 'only operators may decide on %', tg_table_name using errcode = 'HF403';
end
$$;

create function state.guard_versions() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  version constant text := '\.v[0-9]+$';
begin
  if not state.decides_on_workflows()
     -- One that is stored already is stored again at each start.
     and not exists (select from state.workflows where name = new.name)
     and exists (select from state.workflows
                  where regexp_replace(name, version, '') = regexp_replace(new.name, version, '')) then
    raise exception 'only operators may store a further version: %', new.name using errcode = 'HF403';
  end if;
  return new;
end
$$;
create trigger guard_versions before insert on state.workflows for each row execute function state.guard_versions();
create trigger guard_meaning before update on state.collections for each row
  when (old is distinct from new and not state.decides_on_workflows()) execute function state.refuse_to_decide();
create trigger guard_meaning before update on state.remotes for each row
  when (old is distinct from new and not state.decides_on_workflows()) execute function state.refuse_to_decide();

create or replace function state.name_of_workflow(asked text) returns text language plpgsql stable
  security definer set search_path = pg_catalog, pg_temp as $$
declare
  newest record;
begin
  select name, retired_at is not null as is_retired into newest
    from state.workflows
   where name = asked
      or (asked !~ '\.v[1-9][0-9]{0,5}$' and starts_with(name, asked || '.v')
          and substring(name from length(asked) + 3) ~ '^[1-9][0-9]{0,5}$')
   order by (retired_at is not null), by_operators desc, substring(name from '[0-9]+$')::integer desc
   limit 1;
  if newest.name is null then
    raise exception 'workflow.unknown: no workflow % is stored', asked using errcode = 'HF404';
  elsif newest.is_retired then
    raise exception 'workflow.retired: the workflow % takes no new tasks', asked using errcode = 'HF410';
  end if;
  return newest.name;
end
$$;

update state.compatibility set schema_version = greatest(schema_version, 14);
