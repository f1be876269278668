-- How often the same content came without a queue, and when last: a retry of a refused request adds no entry. Null for what
-- came by a queue, whose items have ids, and for what a server before this column has kept.
alter table quarantine
  add column attempts integer,
  add column last_received_at timestamptz;

-- Of equal entries the oldest one counts the retries from now on.
update quarantine set attempts = 1
 where quarantine_id in (
   select distinct on (source, employee, hash) quarantine_id from quarantine
    where client_id is null and source is not null and code <> 'ID_REUSED' and state <> 'released'
    order by source, employee, hash, received_at
 );

create unique index quarantine_by_content on quarantine (source, employee, hash)
 where attempts is not null and code <> 'ID_REUSED' and state <> 'released';
