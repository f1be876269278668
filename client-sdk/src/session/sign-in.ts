import { otherDriversSignedIn, signedIn, signedUp } from '@tailgate/sync-protocol';
import type { SignedIn } from '@tailgate/sync-protocol';
import type { Environment } from '../environment.ts';
import { Unreachable } from '../errors.ts';
import { anything, fields, text } from '../store/reading.ts';

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

/** Every answer of our server, and none of a proxy's or a hotel's. */
const isEnvelope = fields({ message: text, data: anything });
const isFailure = fields({ error: fields({ code: text }) });

interface Answer {
  readonly status: number;
  readonly message: string;
  readonly data: unknown;
  readonly code: string | undefined;
  readonly retryAfterMs: number | undefined;
}

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
    const answer = await this.#post('signup', { employee_id: employeeId, password, device: this.#device });
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
      const said: unknown = await response.json();
      if (!isEnvelope(said) || response.status >= 500) throw new Error(`status ${response.status}`);
      const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
      return {
        status: response.status,
        message: said.message,
        data: said.data,
        code: isFailure(said) ? said.error.code : undefined,
        retryAfterMs: seconds >= 0 ? seconds * 1_000 : undefined,
      };
    } catch (error) {
      throw new Unreachable(`${what} failed`, error);
    }
  }
}

const entered = (
  session: Omit<SignedIn, 'must_change_password'>,
  mustChangePassword: boolean,
): [SignInResult, Session] => [
  { kind: 'signed_in', employeeId: session.employee_id, name: session.name, mustChangePassword },
  { employee: session.employee_id, name: session.name, token: session.api_token },
];

const refused = ({ code, message, status, retryAfterMs }: Answer): SignInResult => ({
  kind: 'refused',
  code: code ?? `HTTP_${status}`,
  message,
  retryAfterMs,
});
