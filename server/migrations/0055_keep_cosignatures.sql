-- The newest cosignature of each witness for each generation of a log (docs/evidence.md). The checkpoint that it signs stays
-- stored, so that proofs can end in a witnessed one.
create table log_cosignature (
  facility text not null,
  generation integer not null,
  -- The name and the hash of the witness' key, as its signature line has them.
  witness text not null,
  size bigint not null,
  cosigned_at timestamptz not null,
  -- The line of the signed note (c2sp.org/tlog-cosignature).
  line text not null,
  primary key (facility, generation, witness)
) with (fillfactor = 50);
