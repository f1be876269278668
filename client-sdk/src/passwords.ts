import type { ErrorDetail } from '@tailgate/sync-protocol';
import type { Environment } from './platform/environment.ts';
import { platform } from './platform/environment.ts';
import { askAuth } from './session/ask-auth.ts';

/** The server of the passwords. */
export interface PasswordServer {
  /** As `createClient` takes it, such as `https://pod.example.com`. */
  readonly url: string;
  /** Sends the request; default: the platform's own. */
  readonly fetch?: Environment['fetch'];
}

/** The input of `changePassword`. */
export interface PasswordChange {
  readonly employeeId: string;
  /** The present one, or a one-time password. */
  readonly currentPassword: string;
  /** At least eight characters, and different from the current one. */
  readonly newPassword: string;
}

/** The result; none of its kinds is exceptional. */
export type PasswordResult =
  | { readonly kind: 'done' }
  /** `code` is the server's: INVALID_CREDENTIALS, RATE_LIMITED, VALIDATION_FAILED with `details` of each field. */
  | {
      readonly kind: 'refused';
      readonly code: string;
      readonly message: string;
      readonly details: readonly ErrorDetail[];
      readonly retryAfterMs: number | undefined;
    };

/**
 * Sets a driver's own password. It ends all sessions of the driver, this device's included: sign in with the new one
 * next. Recorded changes drain meanwhile. Throws `Unreachable` without an answer.
 */
export const changePassword = (server: PasswordServer, change: PasswordChange): Promise<PasswordResult> =>
  ask(server, 'password/update', {
    employee_id: change.employeeId,
    current_password: change.currentPassword,
    new_password: change.newPassword,
  });

/**
 * Sends a one-time password to the phone on file. The driver signs in with it once, and the result has
 * `mustChangePassword`. It is `done` even for an unknown driver. Throws `Unreachable` without an answer.
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
