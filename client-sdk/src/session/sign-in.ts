import { Unreachable } from '../platform/errors.ts';
import type { AuthCalls, AuthDeps } from './auth-calls.ts';

/** What asks the auth endpoints; rejects with `Unreachable` where it could not be loaded. */
export type Auth = () => Promise<AuthCalls>;

/** It is loaded right behind the start, while the page's own files can be had (see `Lines`). */
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
