import type { Environment } from '../environment.ts';
import { Unreachable } from '../errors.ts';

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

export interface AuthGround {
  readonly url: string;
  readonly fetch: Environment['fetch'];
  /** What this phone calls itself. */
  readonly device: string;
}

/** What an app asks once a day, over the network (contract §2). Each throws `Unreachable` where there is no answer. */
export interface AuthCalls {
  signIn(input: SignInInput): Promise<[SignInResult, Session?]>;
  signUp(employeeId: string, password: string): Promise<[SignInResult, Session?]>;
  /** True where the server knows that this token is over: now, or since before. */
  signOut(employee: string, token: string): Promise<boolean>;
}

/** What asks the auth endpoints; rejects with `Unreachable` where it could not be loaded. */
export type Auth = () => Promise<AuthCalls>;

/** It is loaded right behind the start, while the page's own files can be had (see `Lines`). */
export function openAuth(ground: AuthGround): Auth {
  const auth: Auth = async () => {
    try {
      const { AuthRequests } = await import('./auth-requests.ts');
      return new AuthRequests(ground);
    } catch (error) {
      throw new Unreachable('what signs in could not be loaded', error);
    }
  };
  auth().catch(() => {});
  return auth;
}
