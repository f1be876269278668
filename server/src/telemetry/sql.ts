import { statement } from '../db/statement.ts';

/** By the partial index of open entries. */
export const countOpenQuarantine = statement(
  'figures_open_quarantine',
  `select count(*)::int as open from quarantine where state = 'open'`,
);

/** What phones have reported and not delivered, and the size of the database. Revoked queues deliver no more. */
export const readPhonesAndSize = statement(
  'figures_phones_and_size',
  `select coalesce(sum(pending), 0)::int as changes, count(*)::int as phones,
          coalesce(extract(epoch from now() - min(oldest_pending_at)), 0)::float8 as oldest,
          pg_database_size(current_database())::float8 as bytes
     from client where pending > 0 and revoked_at is null`,
);
