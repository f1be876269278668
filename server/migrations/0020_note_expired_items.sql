-- Items of queues whose ledger or quarantine entries were deleted after their time (RETAIN_…_DAYS): who follows a chain
-- can tell them from what somebody has deleted by hand.
create table expired_item (
  client_id uuid primary key,
  seqs      int8multirange not null
);
