-- A queued mail or text message, until it is sent or given up. The queue's tables may be on another machine than these:
-- a crash between the two commits loses the job, and a sweep finds its row.
create table owed_delivery (
  job_id uuid primary key,
  queue text not null,
  data text not null,
  owed_at timestamptz not null default now()
);
create index owed_delivery_by_time on owed_delivery (owed_at, job_id);
