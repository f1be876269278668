-- When a connection with a session last read the run of the device's clock that the queue is tied to; a minute late at most.
-- A run that says it began before then is no proof of a time. In this table, because the status of the device is written to
-- it once a minute anyway. Null: no such reading since this column exists.
alter table client add column clock_read_at timestamptz;
