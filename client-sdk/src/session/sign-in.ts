import { otherDriversSignedIn, signedIn, signedUp } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import type { Environment } from '../environment.ts';
import { Unreachable } from '../errors.ts';

export interface SignInInput {
  readonly employeeId: string;
  readonly password: string;
  /** Ends the sessions of the other drivers of the route, after a conflict was shown. */
  readonly confirmLogin?: boolean;
}

/** What became of a sign-in; nothing of it is exceptional. */
export type SignInResult =
  | { readonly kind: 'signed_in'; readonly employeeId: string; readonly name: string; readonly mustChangePassword: boolean }
  /** Other drivers of the same route are signed in: ask, then call again with `confirmLogin`. */
  | { readonly kind: 'conflict'; readonly drivers: readonly { readonly id: string; readonly name: string }[] }
  /** `code` as the server names it: INVALID_CREDENTIALS, RATE_LIMITED, ALREADY_REGISTERED, EMPLOYEE_NOT_FOUND… */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string; readonly retryAfterMs: number | undefined };

export interface Session {
  readonly employee: string;
  readonly name: string;
  readonly token: string;
}

const envelope = z.object({
  message: z._default(z.string(), ''),
  data: z.optional(z.unknown()),
  error: z.optional(z.nullable(z.object({ code: z.string() }))),
});
type Answer = z.infer<typeof envelope> & { readonly status: number; readonly retryAfterMs: number | undefined };

/** The auth endpoints as the SDK needs them (contract §2). */
export class AuthApi {
  readonly #url: string;
  readonly #fetch: Environment['fetch'];
  readonly #device: string;

  constructor(url: string, fetch: Environment['fetch'], device: string) {
    this.#url = url;
    this.#fetch = fetch;
    this.#device = device;
  }

  async signIn({ employeeId, password, confirmLogin }: SignInInput): Promise<[SignInResult, Session?]> {
    const body = { employee_id: employeeId, password, confirm_login: confirmLogin ?? false, device: this.#device };
    const answer = await this.#post('signin', body);
    const conflict = otherDriversSignedIn.safeParse(answer.data);
    if (conflict.success) return [{ kind: 'conflict', drivers: conflict.data.drivers }];
    const session = signedIn.safeParse(answer.data);
    return session.success ? entered(session.data, session.data.must_change_password) : [refused(answer)];
  }

  async signUp(employeeId: string, password: string): Promise<[SignInResult, Session?]> {
    const answer = await this.#post('signup', { employee_id: employeeId, password });
    const session = signedUp.safeParse(answer.data);
    return session.success ? entered(session.data, false) : [refused(answer)];
  }

  /** True where the server knows that this token is over: now, or since before. */
  async signOut(employee: string, token: string): Promise<boolean> {
    const { status } = await this.#post('signout', { employee_id: employee, api_token: token });
    return status < 300 || status === 401;
  }

  async #post(what: 'signin' | 'signup' | 'signout', body: object): Promise<Answer> {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    try {
      const response = await this.#fetch(`${this.#url}/api/auth/${what}`, init);
      const parsed = envelope.safeParse(await response.json());
      // What is no answer of our server came from a proxy, or from a network that wants a login of its own.
      if (!parsed.success || response.status >= 500) throw new Error(`status ${response.status}`);
      const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
      return { ...parsed.data, status: response.status, retryAfterMs: seconds >= 0 ? seconds * 1_000 : undefined };
    } catch (error) {
      throw new Unreachable(`${what} failed`, error);
    }
  }
}

const entered = (session: z.infer<typeof signedUp>, mustChangePassword: boolean): [SignInResult, Session] => [
  { kind: 'signed_in', employeeId: session.employee_id, name: session.name, mustChangePassword },
  { employee: session.employee_id, name: session.name, token: session.api_token },
];

const refused = ({ error, message, status, retryAfterMs }: Answer): SignInResult => ({
  kind: 'refused',
  code: error?.code ?? `HTTP_${status}`,
  message,
  retryAfterMs,
});
