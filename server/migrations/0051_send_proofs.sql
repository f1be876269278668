-- Delivery summaries that an operator sends to an address. The mail job, its retries and `mail_sent` are those of the
-- delivery mails; `mail_id` takes the place of the mutation there.
create table proof_mail (
  facility text not null,
  mail_id uuid not null,
  route_id text not null,
  week_end text not null,
  stop_id smallint not null,
  address text not null,
  by text not null,
  asked_at timestamptz not null,
  given_up_at timestamptz,
  primary key (facility, mail_id)
);
create index proof_mail_by_stop on proof_mail (facility, route_id, week_end, stop_id, asked_at);
create index proof_mail_by_time on proof_mail (asked_at);
