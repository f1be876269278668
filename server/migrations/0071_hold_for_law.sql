-- Legal holds: records that retention must leave alone, because they are needed as evidence. One row is a stop, a
-- route, or all stops of a customer. A released one stays, since an evidence pack names it.
create table legal_hold (
  facility text not null,
  legal_hold_id uuid not null,
  -- Without a customer: the route, and one of its stops or all.
  route_id text,
  week_end text,
  stop_id smallint,
  customer text,
  reason text not null,
  placed_at timestamptz not null,
  placed_by text not null,
  -- Null: until an operator releases it.
  until timestamptz,
  released_at timestamptz,
  released_by text,
  primary key (facility, legal_hold_id)
);
create index legal_hold_by_id on legal_hold (legal_hold_id);

-- Servers with a role of their own cannot delete a hold (server/deploy/roles.sql).
do $$ begin
  if exists (select from pg_roles where rolname = 'tailgate_app') then
    revoke delete on legal_hold from tailgate_app;
  end if;
end $$;
