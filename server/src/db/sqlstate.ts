/** The SQLSTATE of a PostgreSQL error; undefined for any other (a broken connection has none). */
export function sqlStateOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return /^[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined;
}

/** PostgreSQL refuses the data itself (classes 22 and 23): a retry fails again. */
export function isDataError(error: unknown): error is Error {
  const state = sqlStateOf(error);
  return state !== undefined && (state.startsWith('22') || state.startsWith('23'));
}

/** Deadlock, serialization failure, lock not available: an immediate retry may pass. */
export function isCollision(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state !== undefined && (state.startsWith('40') || state === '55P03');
}
