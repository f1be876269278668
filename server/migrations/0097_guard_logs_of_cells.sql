-- 0054 and 0071 name the servers' role of a database without cells. Servers of a cell have a role of their own
-- (server/deploy/roles.sql), which can change no leaf and delete no hold either.
do $$
declare
  app text := 'tailgate_app' || case current_schema() when 'public' then '' else '_' || current_schema() end;
begin
  if exists (select from pg_roles where rolname = app) then
    execute format('revoke update, delete on log_leaf, log_key from %I', app);
    execute format('revoke delete on log, log_tile, legal_hold from %I', app);
  end if;
end $$;
