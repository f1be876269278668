-- When the webhook of the operators took an incident. Earlier incidents count as sent; new ones wait for the webhook.
alter table incident add column alarmed_at timestamptz default now();
alter table incident alter column alarmed_at drop default;
create index incident_alarm on incident (at) where alarmed_at is null;
