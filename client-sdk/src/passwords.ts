import type { ErrorDetail } from '@tailgate/sync-protocol';
import type { Environment } from './platform/environment.ts';
import { platform } from './platform/environment.ts';
import { askAuth } from './session/ask-auth.ts';

/** Where passwords are kept. */
export interface PasswordServer {
  /** As `createClient` takes it, such as `https://pod.example.com`. */
  readonly url: string;
  /** What sends the request; else the platform's own. */
  readonly fetch?: Environment['fetch'];
}

/** What `changePassword` takes. */
export interface PasswordChange {
  readonly employeeId: string;
  /** The one that counts now; a one-time password, too. */
  readonly currentPassword: string;
  /** At least eight characters, and another than the current one. */
  readonly newPassword: string;
}

/** What became of it; nothing of it is exceptional. */
export type PasswordResult =
  | { readonly kind: 'done' }
  /** `code` as the server names it: INVALID_CREDENTIALS, RATE_LIMITED, VALIDATION_FAILED with `details` of each field. */
  | {
      readonly kind: 'refused';
      readonly code: string;
      readonly message: string;
      readonly details: readonly ErrorDetail[];
      readonly retryAfterMs: number | undefined;
    };

/**
 * Sets a driver's own password. It ends every session of theirs, this device's, too: sign in with the new one next. What
 * was recorded drains meanwhile. Throws `Unreachable` where there is no answer.
 */
export const changePassword = (server: PasswordServer, change: PasswordChange): Promise<PasswordResult> =>
  ask(server, 'password/update', {
    employee_id: change.employeeId,
    current_password: change.currentPassword,
    new_password: change.newPassword,
  });

/**
 * Has a one-time password sent to the phone on file, with which the driver signs in once and is told
 * `mustChangePassword`. It is `done` whether there is such a driver or not. Throws `Unreachable` where there is no answer.
 */
export const resetPassword = (server: PasswordServer, employeeId: string): Promise<PasswordResult> =>
  ask(server, 'password/reset', { employee_id: employeeId });

async function ask(
  { url, fetch = platform.fetch }: PasswordServer,
  what: 'password/update' | 'password/reset',
  body: object,
): Promise<PasswordResult> {
  const answer = await askAuth(fetch, url.replace(/\/+$/, ''), what, body);
  const { status, code = `HTTP_${status}`, message, details, retryAfterMs } = answer;
  return status < 300 ? { kind: 'done' } : { kind: 'refused', code, message, details, retryAfterMs };
}
