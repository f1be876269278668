import { Unreachable } from '../platform/errors.ts';
import type { AuthCalls, AuthDeps } from './auth-calls.ts';

/** Returns the auth calls; rejects with `Unreachable` if their module could not be loaded. */
export type LoadAuth = () => Promise<AuthCalls>;

/** Loads the module at the start, because Chromium does not repeat a failed import until the page is reopened. */
export function authLoader(deps: AuthDeps): LoadAuth {
  let requests: AuthCalls | undefined;
  const loadAuth: LoadAuth = async () => {
    try {
      const { AuthRequests } = await import('./auth-requests.ts');
      return (requests ??= new AuthRequests(deps));
    } catch (error) {
      throw new Unreachable('sign-in is not loaded', error);
    }
  };
  loadAuth().catch(() => {});
  return loadAuth;
}
