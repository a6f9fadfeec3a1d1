-- Makes the owner of the database, a login for each service and one for observers, or sets
-- their current passwords. A superuser runs it with psql before the migrations, which grant the
-- roles their permissions. Running it again is harmless. Agents have no login.
\set ON_ERROR_STOP on
\getenv owner_password OWNER_PASSWORD
\getenv submission_password SUBMISSION_PASSWORD
\getenv operations_password OPERATIONS_PASSWORD
\getenv scheduler_password SCHEDULER_PASSWORD
\getenv supervisor_password SUPERVISOR_PASSWORD
\getenv observer_password OBSERVER_PASSWORD

begin;
-- Serialize runs: two at once would both create the missing roles.
select pg_advisory_xact_lock(hashtext('holdfast logins')) \g /dev/null

select format('create role %I %s', name, kind)
  from (values ('holdfast_submission', 'nologin'),
               ('holdfast_operations', 'nologin'),
               ('holdfast_scheduler', 'nologin'),
               ('holdfast_supervisor', 'nologin'),
               ('holdfast_observer', 'nologin'),
               ('holdfast_application', 'nologin'),
               ('holdfast', 'login'),
               ('submission', 'login'),
               ('operations', 'login'),
               ('scheduler', 'login'),
               ('supervisor', 'login'),
               ('observer', 'login')) as wanted (name, kind)
 where not exists (select from pg_roles where rolname = name)
\gexec

alter role holdfast password :'owner_password';
alter role submission password :'submission_password';
alter role operations password :'operations_password';
alter role scheduler password :'scheduler_password';
alter role supervisor password :'supervisor_password';
alter role observer password :'observer_password';

grant holdfast_submission to submission;
grant holdfast_operations to operations;
grant holdfast_scheduler to scheduler;
grant holdfast_supervisor to supervisor;
grant holdfast_observer to observer;
-- `doctor` reports other sessions' open transactions and their statements.
grant pg_read_all_stats to holdfast_observer;

alter database :DBNAME owner to holdfast;
revoke all on database :DBNAME from public;
grant connect on database :DBNAME to holdfast_submission, holdfast_operations, holdfast_scheduler,
  holdfast_supervisor, holdfast_observer, holdfast_application;
commit;
