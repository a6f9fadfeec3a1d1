-- Makes the owner of the database, a login for each service and one for observers, or sets their
-- current passwords. The administrator runs it with psql before the migrations, which grant the
-- roles their permissions: a superuser, or, where a provider has none, the login that owns the
-- database and may create roles. Running it again is harmless. Agents have no login.
--
-- Logins belong to the whole server. Where several databases of it are Holdfast's, LOGIN_PREFIX
-- names the logins of this one, such as shop_scheduler; SHARED_LOGINS=yes has databases share them,
-- with one password for all.
\set ON_ERROR_STOP on
\getenv owner_password OWNER_PASSWORD
\getenv submission_password SUBMISSION_PASSWORD
\getenv operations_password OPERATIONS_PASSWORD
\getenv scheduler_password SCHEDULER_PASSWORD
\getenv supervisor_password SUPERVISOR_PASSWORD
\getenv observer_password OBSERVER_PASSWORD
\set login_prefix ''
\getenv login_prefix LOGIN_PREFIX
\set shared_logins no
\getenv shared_logins SHARED_LOGINS

begin;
-- Serialize runs: two at once would both create the missing roles.
select pg_advisory_xact_lock(hashtext('holdfast logins')) \g /dev/null

create temporary table wanted_logins on commit drop as
select :'login_prefix' || kind as name, kind, 'holdfast_' || kind as role, password
  from (values ('holdfast', :'owner_password'),
               ('submission', :'submission_password'),
               ('operations', :'operations_password'),
               ('scheduler', :'scheduler_password'),
               ('supervisor', :'supervisor_password'),
               ('observer', :'observer_password')) as wanted (kind, password);

-- A password that is set here is that of every database that the login may connect to.
select set_config('holdfast.shared_logins', :'shared_logins', true) \g /dev/null
do $$
declare
  other text;
begin
  select datname into other
    from pg_database
    cross join lateral aclexplode(datacl) as acl
    join pg_roles on pg_roles.oid = acl.grantee
   where datname <> current_database()
     and not datistemplate
     and (rolname in (select name from wanted_logins)
          -- Without a prefix the logins connect by their roles.
          or rolname in (select role from wanted_logins where name = kind))
   limit 1;
  if other is not null and current_setting('holdfast.shared_logins') <> 'yes' then
    raise exception 'the logins are also those of the database %, whose passwords this would change', other
      using hint = 'Set LOGIN_PREFIX for logins of this database alone, or SHARED_LOGINS=yes.';
  end if;
end
$$;

select format('create role %I %s', name, kind)
  from (values ('holdfast_submission', 'nologin'),
               ('holdfast_operations', 'nologin'),
               ('holdfast_scheduler', 'nologin'),
               ('holdfast_supervisor', 'nologin'),
               ('holdfast_observer', 'nologin'),
               ('holdfast_application', 'nologin')) as wanted (name, kind)
 where not exists (select from pg_roles where rolname = name)
 union all
select format('create role %I login', name)
  from wanted_logins
 where not exists (select from pg_roles where rolname = name)
\gexec

select format('alter role %I password %L', name, password) from wanted_logins
\gexec

select format('grant %I to %I', role, name)
  from wanted_logins
 where kind <> 'holdfast'
   and not pg_has_role(name, role, 'member')
\gexec

-- To give the database away, who is no superuser must be able to act as its new owner; and, as the
-- database is then the owner's, to do so when this runs again.
select format('grant %I to %I %s', name, current_user,
              case when current_setting('server_version_num')::integer >= 160000
                   then 'with inherit true, set true' else '' end)
  from wanted_logins
 where kind = 'holdfast'
   and not (select rolsuper from pg_roles where rolname = current_user)
   and not pg_has_role(current_user, name, 'usage')
\gexec

-- `doctor` reports other sessions' open transactions and their statements.
do $$
begin
  if not pg_has_role('holdfast_observer', 'pg_read_all_stats', 'member') then
    grant pg_read_all_stats to holdfast_observer;
  end if;
exception when insufficient_privilege then
  raise notice 'holdfast_observer was not granted pg_read_all_stats, which % may not grant: doctor sees only its own sessions',
    current_user;
end
$$;

do $$
declare
  owner text := (select name from wanted_logins where kind = 'holdfast');
begin
  execute format('alter database %I owner to %I', current_database(), owner);
exception when insufficient_privilege then
  raise notice '% was not made the owner of the database: %', owner, sqlerrm;
  execute format('grant create, temporary, connect on database %I to %I', current_database(), owner);
end
$$;
select format('revoke all on database %I from public', current_database())
\gexec
-- With a prefix only these logins connect: the roles are those of other databases, too.
select format('grant connect on database %I to %I', current_database(),
              case when name = kind then role else name end)
  from wanted_logins
 where kind <> 'holdfast'
 union all
select format('grant connect on database %I to holdfast_application', current_database()) where :'login_prefix' = ''
\gexec
commit;
