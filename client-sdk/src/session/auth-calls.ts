import type { Environment } from '../platform/environment.ts';
import type { Outbox } from '../queue/outbox.ts';
import type { Accounts } from './accounts.ts';

/** What a driver signs in with. */
export interface SignInInput {
  readonly employeeId: string;
  readonly password: string;
  /** Ends the sessions of the other drivers of the route, after a conflict was shown. */
  readonly confirmLogin?: boolean;
}

/** What became of a sign-in; nothing of it is exceptional. */
export type SignInResult =
  | {
      readonly kind: 'signed_in';
      readonly employeeId: string;
      readonly name: string;
      readonly mustChangePassword: boolean;
    }
  /** Other drivers of the same route are signed in: ask, then call again with `confirmLogin`. */
  | { readonly kind: 'conflict'; readonly drivers: readonly { readonly id: string; readonly name: string }[] }
  /** `code` as the server names it: INVALID_CREDENTIALS, RATE_LIMITED, ALREADY_REGISTERED, EMPLOYEE_NOT_FOUND… */
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
  /** What this phone calls itself. */
  readonly device: string;
  readonly accounts: Accounts;
  readonly outbox: Pick<Outbox, 'queueOf'>;
}

/** What is asked once a day, over the network (contract §2). To sign in throws `Unreachable` where there is no answer. */
export interface AuthCalls {
  signIn(input: SignInInput): Promise<[SignInResult, Session?]>;
  /** @param invitation the office's code, where the server asks for one */
  signUp(employeeId: string, password: string, invitation?: string): Promise<[SignInResult, Session?]>;
  /** Tells the server of each sign-out that it does not know, unless the token is what the queue still needs to drain. */
  tellSignOuts(): Promise<void>;
}
