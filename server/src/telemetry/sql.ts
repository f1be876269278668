import type { Statement } from '../db/types.ts';

/** By the partial index on what is open. */
export const countOpenQuarantine: Statement = {
  name: 'figures_open_quarantine',
  text: `select count(*)::int as open from quarantine where state = 'open'`,
};
