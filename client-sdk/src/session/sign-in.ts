import { Unreachable } from '../platform/errors.ts';
import type { AuthCalls, AuthDeps } from './auth-calls.ts';

/** Returns the auth calls; rejects with `Unreachable` if their module could not be loaded. */
export type Auth = () => Promise<AuthCalls>;

/** Loads the module at the start, because Chromium does not repeat a failed import until the page is reopened. */
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
