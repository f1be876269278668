import { Unreachable } from '../platform/errors.ts';
import type { AuthCalls, AuthDeps } from './auth-calls.ts';

/** Returns the auth calls; rejects with `Unreachable` where their module could not be loaded. */
export type Auth = () => Promise<AuthCalls>;

/** Loads the module right after the start, while the page's own files are reachable (see `Transport`). */
export function openAuth(deps: AuthDeps): Auth {
  let requests: AuthCalls | undefined;
  const auth: Auth = async () => {
    try {
      const { AuthRequests } = await import('./auth-requests.ts');
      return (requests ??= new AuthRequests(deps));
    } catch (error) {
      throw new Unreachable('sign-in is not loaded', error);
    }
  };
  auth().catch(() => {});
  return auth;
}
