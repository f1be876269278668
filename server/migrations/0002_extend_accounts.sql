-- What the host is told of a registered driver (PODUSRP) and who has unregistered. `version` rises with each change;
-- `hosted_version` follows when the host has it. No password counts while `password_hash` is null: a one-time password
-- was used, or an operator has unregistered the driver. The code before reads null as "nobody signs in".
alter table account alter column password_hash drop not null;
alter table account
  add column last_seen_at timestamptz,
  add column unregistered_at timestamptz,
  add column version bigint not null default 1,
  add column hosted_version bigint not null default 0;
create index account_unhosted on account (employee) where hosted_version < version;

-- Whether a driver of a route is signed in, as the host is told it (RTDRVP). A row appears with the first sign-in.
create table driver_sign_in (
  facility text not null,
  route_id text not null,
  week_end text not null,
  employee text not null,
  signed_in boolean not null,
  signed_in_at timestamptz not null,
  version bigint not null default 1,
  hosted_version bigint not null default 0,
  primary key (facility, route_id, week_end, employee)
);
create index driver_sign_in_unhosted on driver_sign_in (facility, route_id, week_end, employee)
  where hosted_version < version;
create index driver_sign_in_by_employee on driver_sign_in (employee) where signed_in;
