-- The role of Lectern's processes, by psql as a superuser in their database: it owns this database and nothing else. Doing it again changes
-- the password only, and takes over the tables of an installation whose processes were the superuser.
\set password `printenv DATABASE_PASSWORD`
select 'create role lectern_app' where not exists (select from pg_roles where rolname = 'lectern_app') \gexec
alter role lectern_app with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password :'password';
select format('alter database %I owner to lectern_app', current_database()) \gexec
alter schema public owner to lectern_app;
select format('alter table public.%I owner to lectern_app', relname)
  from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v') \gexec
-- Temporal's, where this server has them.
select format('revoke connect on database %I from public', datname) from pg_database where datname like 'temporal%' \gexec
