import { otherDriversSignedIn, signedIn, signedUp } from '@tailgate/sync-protocol';
import type { Environment } from '../environment.ts';
import { Unreachable } from '../errors.ts';
import type { AuthRequests } from './auth-requests.ts';

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

/** The server's answers that are read. */
const answers = { otherDriversSignedIn, signedIn, signedUp };

export interface AuthGround {
  readonly url: string;
  readonly fetch: Environment['fetch'];
  /** What this phone calls itself. */
  readonly device: string;
  readonly answers: typeof answers;
}

/** The auth endpoints as the SDK needs them (contract §2). Each throws `Unreachable` where there is no answer. */
export class AuthApi {
  readonly #ground: AuthGround;

  constructor(ground: Omit<AuthGround, 'answers'>) {
    this.#ground = { ...ground, answers };
    // Behind the start, while the page's own files can be had (see `Lines`).
    this.#requests().catch(() => {});
  }

  async signIn(input: SignInInput): Promise<[SignInResult, Session?]> {
    return (await this.#requests()).signIn(input);
  }

  async signUp(employeeId: string, password: string): Promise<[SignInResult, Session?]> {
    return (await this.#requests()).signUp(employeeId, password);
  }

  /** True where the server knows that this token is over: now, or since before. */
  async signOut(employee: string, token: string): Promise<boolean> {
    return (await this.#requests()).signOut(employee, token);
  }

  async #requests(): Promise<AuthRequests> {
    try {
      const { AuthRequests } = await import('./auth-requests.ts');
      return new AuthRequests(this.#ground);
    } catch (error) {
      throw new Unreachable('what signs in could not be loaded', error);
    }
  }
}
