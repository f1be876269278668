-- The history of the PostgreSQL that has the tables of this cell, where that is another one than the server's address leads
-- to; null elsewhere. A fail-over of that node alone changes no timeline of the coordinator.
alter table server_epoch add column node_cluster text;
alter table server_epoch add column node_timeline integer;
