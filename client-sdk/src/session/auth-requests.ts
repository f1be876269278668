import { fields, flag, listOf, text } from '../store/reading.ts';
import type { Answer } from './ask-auth.ts';
import { askAuth } from './ask-auth.ts';
import type { AuthCalls, AuthGround, Session, SignInInput, SignInResult } from './sign-in.ts';

// What of the answers is used here (contract §2).
const isSession = fields({ employee_id: text, name: text, api_token: text });
const isFirst = fields({ must_change_password: flag });
const isConflict = fields({ other_drivers_signed_in: flag, drivers: listOf(fields({ id: text, name: text })) });

export class AuthRequests implements AuthCalls {
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
    if (isConflict(answer.data)) return [{ kind: 'conflict', drivers: answer.data.drivers }];
    return entered(answer);
  }

  async signUp(employeeId: string, password: string): Promise<[SignInResult, Session?]> {
    return entered(await this.#post('signup', { employee_id: employeeId, password, device: this.#ground.device }));
  }

  async signOut(employee: string, token: string): Promise<boolean> {
    const { status } = await this.#post('signout', { employee_id: employee, api_token: token });
    return status < 300 || status === 401;
  }

  #post(what: 'signin' | 'signup' | 'signout', body: object): Promise<Answer> {
    return askAuth(this.#ground.fetch, this.#ground.url, what, body);
  }
}

function entered({ data, code, message, status, retryAfterMs }: Answer): [SignInResult, Session?] {
  if (!isSession(data)) return [{ kind: 'refused', code: code ?? `HTTP_${status}`, message, retryAfterMs }];
  const { employee_id, name, api_token } = data;
  const mustChangePassword = isFirst(data) && data.must_change_password;
  return [
    { kind: 'signed_in', employeeId: employee_id, name, mustChangePassword },
    { employee: employee_id, name, token: api_token },
  ];
}
