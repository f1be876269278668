-- Places of queues at which an item came that the ledger or the quarantine has at another place, from another queue (after a
-- fork): what the next item of the queue is linked to.
create table repeated_item (
  client_id uuid,
  seq       bigint,
  id        uuid not null,
  hash      bytea not null,
  prev_hash bytea,
  primary key (client_id, seq)
);
