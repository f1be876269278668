import { createApi } from './api/api.ts';
import { forgetReads } from './api/reads.ts';
import { begin, operatorOf, session, tokenOf } from './session.ts';

/** Leaves the page to the next operator. */
export const signOut = (): void => begin({ is: 'out' });

/**
 * Ends each session at the server that this page gives up: by a sign-out, and by the lock, which asks for the password anew.
 * Without an answer the server ends it when it is idle.
 */
export function endLeftSessions(url: string): void {
  let before = session.current;
  session.subscribe((next) => {
    const token = tokenOf(before);
    if (operatorOf(before)?.id !== operatorOf(next)?.id) forgetReads();
    const isLeft = token !== undefined && tokenOf(next) === undefined;
    before = next;
    if (isLeft)
      void createApi({ url, token: () => token })
        .call('signOutOperator', {})
        .catch(() => undefined);
  });
}
