/** The reference codes that rules read; an immutable value, replaced when the host's lists change. */
export interface CodeBook {
  isCreditReason(code: string): boolean;
  /** Whether the list of stop exceptions has this code; without such a list every code counts. */
  isStopException(code: string): boolean;
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
  const stops = new Set<string>();
  const exceptions = new Map<string, 'S' | 'R' | 'B'>();
  for (const { type, code, stop_type } of rows) {
    if (type === 'credit-reason') credit.add(code);
    if (type !== 'stop-exception') continue;
    stops.add(code);
    if (stop_type === 'S' || stop_type === 'R' || stop_type === 'B') exceptions.set(code, stop_type);
  }
  return {
    isCreditReason: (code) => credit.has(code),
    isStopException: (code) => stops.size === 0 || stops.has(code),
    stopException: (code) => exceptions.get(code),
  };
}
