import type { Statement } from '../db/types.ts';

/** By the partial index of open entries. */
export const countOpenQuarantine: Statement = {
  name: 'figures_open_quarantine',
  text: `select count(*)::int as open from quarantine where state = 'open'`,
};
