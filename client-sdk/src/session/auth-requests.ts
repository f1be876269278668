import type { SignedIn } from '@tailgate/sync-protocol';
import { Unreachable } from '../errors.ts';
import { anything, fields, text } from '../store/reading.ts';
import type { AuthGround, Session, SignInInput, SignInResult } from './sign-in.ts';

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

/**
 * What an app asks once a day, over the network. Types alone come from the protocol, and its schemas with the
 * ground: a bundler that makes one file of everything keeps all of a package that something loaded later names.
 */
export class AuthRequests {
  readonly #ground: AuthGround;

  constructor(ground: AuthGround) {
    this.#ground = ground;
  }

  async signIn({ employeeId, password, confirmLogin }: SignInInput): Promise<[SignInResult, Session?]> {
    const body = {
      employee_id: employeeId,
      password,
      confirm_login: confirmLogin ?? false,
      device: this.#ground.device,
    };
    const answer = await this.#post('signin', body);
    const conflict = this.#ground.answers.otherDriversSignedIn.safeParse(answer.data);
    if (conflict.success) return [{ kind: 'conflict', drivers: conflict.data.drivers }];
    const session = this.#ground.answers.signedIn.safeParse(answer.data);
    return session.success ? entered(session.data, session.data.must_change_password) : [refused(answer)];
  }

  async signUp(employeeId: string, password: string): Promise<[SignInResult, Session?]> {
    const answer = await this.#post('signup', { employee_id: employeeId, password, device: this.#ground.device });
    const session = this.#ground.answers.signedUp.safeParse(answer.data);
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
      const response = await this.#ground.fetch(`${this.#ground.url}/api/auth/${what}`, init);
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
