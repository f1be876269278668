/** The reference codes that rules read; an immutable value, replaced when the host's lists change. */
export interface CodeBook {
  isCreditReason(code: string): boolean;
  /** S skip, R refuse, B both; undefined where the code is unknown. */
  stopException(code: string): 'S' | 'R' | 'B' | undefined;
}

export interface CodeRow {
  readonly type: string;
  readonly code: string;
  readonly stop_type: string;
}

export function codeBook(rows: readonly CodeRow[]): CodeBook {
  const credit = new Set<string>();
  const exceptions = new Map<string, 'S' | 'R' | 'B'>();
  for (const { type, code, stop_type } of rows) {
    if (type === 'credit-reason') credit.add(code);
    if (type === 'stop-exception' && (stop_type === 'S' || stop_type === 'R' || stop_type === 'B'))
      exceptions.set(code, stop_type);
  }
  return { isCreditReason: (code) => credit.has(code), stopException: (code) => exceptions.get(code) };
}
