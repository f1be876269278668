import { InvalidChange } from '@tailgate/client-sdk';

/** The SDK's message for each invalid field, by its path; empty if the change can be recorded. */
export function faultsOf(check: () => unknown): ReadonlyMap<string, string> {
  try {
    check();
    return new Map();
  } catch (error) {
    if (!(error instanceof InvalidChange)) throw error;
    return new Map(error.details.map(({ path, message }) => [path, message]));
  }
}

/** Whether the browser has no room for the app's data. */
export const isFullError = (error: unknown): boolean => error instanceof Error && error.name === 'QuotaExceededError';
