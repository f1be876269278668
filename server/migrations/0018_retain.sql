-- The bytes of a file were deleted after their time; that it was here, and of which bytes, stays known.
alter table asset add column purged_at timestamptz;
create index asset_kept on asset (received_at) where state = 'R' and purged_at is null;

create index mail_sent_by_time on mail_sent (sent_at);
create index incident_acknowledged on incident (acknowledged_at) where acknowledged_at is not null;
create index quarantine_settled on quarantine (resolved_at) where state <> 'open';
