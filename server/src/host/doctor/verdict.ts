/**
 * The judgement of one check: `go` · `attention` it works, and a person looks at it · `unknown` the host does not tell, so
 * that a person checks it · `no_go` the service must not run against this host.
 */
export type Level = 'go' | 'attention' | 'unknown' | 'no_go';

export interface Verdict {
  readonly level: Level;
  /** What is so, in a sentence. */
  readonly says: string;
  /** What to do; blank where there is nothing to do. */
  readonly todo: string;
}

export const go = (says: string): Verdict => ({ level: 'go', says, todo: '' });
export const attention = (says: string, todo: string): Verdict => ({ level: 'attention', says, todo });
export const unknown = (says: string, todo: string): Verdict => ({ level: 'unknown', says, todo });
export const noGo = (says: string, todo: string): Verdict => ({ level: 'no_go', says, todo });

/** Names as a list; beyond the first few, their number. */
export function listOf(names: readonly string[], most = 6): string {
  const rest = names.length - most;
  return rest > 0 ? `${names.slice(0, most).join(', ')} and ${rest} more` : names.join(', ');
}
