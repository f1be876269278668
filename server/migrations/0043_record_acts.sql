-- Acts of the office: who did what to which subject, why, and the values before and after (docs/decisions/0115). Each is
-- written by the transaction that it describes. `by` is an operator's id, `machine:NAME` of a program, or a command.
create table operator_act (
  act_id uuid primary key,
  at timestamptz not null default now(),
  by text not null,
  act text not null,
  subject_kind text not null,
  subject text not null,
  facility text,
  route_id text,
  week_end text,
  stop_id smallint,
  employee text,
  reason text not null,
  before text,
  after text
);
create index operator_act_by_time on operator_act (at, act_id);
create index operator_act_by_operator on operator_act (by, at, act_id);
create index operator_act_by_subject on operator_act (subject, at, act_id);
create index operator_act_by_stop on operator_act (facility, route_id, week_end, at) where facility is not null;
