import { statement } from '../db/statement.ts';

/** By the partial index of open entries. */
export const countOpenQuarantine = statement(
  'figures_open_quarantine',
  `select count(*)::int as open from quarantine where state = 'open'`,
);
