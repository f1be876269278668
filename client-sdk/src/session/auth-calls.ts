import type { Environment } from '../platform/environment.ts';
import type { Outbox } from '../queue/outbox.ts';
import type { Accounts } from './accounts.ts';

/** The credentials of a sign-in. */
export interface SignInInput {
  readonly employeeId: string;
  readonly password: string;
  /** Ends the sessions of the route's other drivers, after a conflict was shown. */
  readonly confirmLogin?: boolean;
}

/** The result of a sign-in; none of its kinds is exceptional. */
export type SignInResult =
  | {
      readonly kind: 'signed_in';
      readonly employeeId: string;
      readonly name: string;
      readonly mustChangePassword: boolean;
    }
  /** Other drivers of the same route are signed in: ask, then call again with `confirmLogin`. */
  | { readonly kind: 'conflict'; readonly drivers: readonly { readonly id: string; readonly name: string }[] }
  /** `code` is the server's: INVALID_CREDENTIALS, RATE_LIMITED, ALREADY_REGISTERED, EMPLOYEE_NOT_FOUND… */
  | {
      readonly kind: 'refused';
      readonly code: string;
      readonly message: string;
      readonly retryAfterMs: number | undefined;
    };

export interface Session {
  readonly employee: string;
  readonly name: string;
  readonly token: string;
}

export interface AuthDeps {
  readonly url: string;
  readonly environment: Pick<Environment, 'fetch'>;
  /** The device's name for the server. */
  readonly device: string;
  readonly accounts: Accounts;
  readonly outbox: Pick<Outbox, 'queueOf'>;
}

/** The auth calls (contract §2), about one a day. A sign-in throws `Unreachable` where no answer comes. */
export interface AuthCalls {
  signIn(input: SignInInput): Promise<[SignInResult, Session?]>;
  /** @param invitation the office's code, where the server requires one */
  signUp(employeeId: string, password: string, invitation?: string): Promise<[SignInResult, Session?]>;
  /** Reports each unconfirmed sign-out to the server, unless the queue still needs the token to drain. */
  reportSignOuts(): Promise<void>;
}
