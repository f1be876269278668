-- The doctor's last findings at the host, by the machine of the worker that asked.
create table host_examination (
  node text primary key,
  at timestamptz not null,
  go boolean not null,
  -- JSON: an array of {check, level, says, todo}.
  findings text not null
);
