import { InvalidChange } from '@tailgate/client-sdk';

/** What the SDK says about each invalid field, by its path; empty where the change can be recorded. */
export function faultsOf(check: () => unknown): ReadonlyMap<string, string> {
  try {
    check();
    return new Map();
  } catch (error) {
    if (!(error instanceof InvalidChange)) throw error;
    return new Map(error.details.map(({ path, message }) => [path, message]));
  }
}
