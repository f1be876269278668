import { Unreachable } from '../platform/errors.ts';
import { fields, flag, listOf, text } from '../platform/reading.ts';
import type { Account } from './accounts.ts';
import type { Answer } from './ask-auth.ts';
import { askAuth } from './ask-auth.ts';
import type { AuthCalls, AuthDeps, Session, SignInInput, SignInResult } from './auth-calls.ts';

// The members of answers that this file uses (contract §2).
const isSession = fields({ employee_id: text, name: text, api_token: text });
const isTemporary = fields({ must_change_password: flag });
const isConflict = fields({ other_drivers_signed_in: flag, drivers: listOf(fields({ id: text, name: text })) });

export class AuthRequests implements AuthCalls {
  readonly #deps: AuthDeps;
  /** Employees whose sign-out is in progress. */
  readonly #leaving = new Set<string>();

  constructor(deps: AuthDeps) {
    this.#deps = deps;
  }

  async signIn({ employeeId, password, confirmLogin }: SignInInput): Promise<[SignInResult, Session?]> {
    const body = {
      employee_id: employeeId,
      password,
      confirm_login: confirmLogin ?? false,
      device: this.#deps.device,
    };
    const answer = await this.#post('signin', body);
    if (isConflict(answer.data)) return [{ kind: 'conflict', drivers: answer.data.drivers }];
    return signInResult(answer);
  }

  async signUp(employeeId: string, password: string, invitation?: string): Promise<[SignInResult, Session?]> {
    const { device } = this.#deps;
    return signInResult(await this.#post('signup', { employee_id: employeeId, password, device, invitation }));
  }

  async reportSignOuts(): Promise<void> {
    await Promise.all([...this.#deps.accounts.all].map((account) => this.#reportSignOut(account)));
  }

  async #reportSignOut({ employee, token, leaving }: Account): Promise<void> {
    const { accounts, outbox } = this.#deps;
    if (!token || !leaving || this.#leaving.has(employee)) return;
    const { waiting, head } = outbox.queueOf(employee);
    if (waiting.size > 0 && head.queue_key === null) return;
    this.#leaving.add(employee);
    try {
      const { status } = await this.#post('signout', { employee_id: employee, api_token: token });
      // The server confirms that this token has ended, now or before. After a new sign-in the account has another
      // token, which remains valid.
      const isOver = status < 300 || status === 401;
      if (isOver && accounts.find(employee)?.token === token) accounts.dropToken(employee);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
    } finally {
      this.#leaving.delete(employee);
    }
  }

  #post(what: 'signin' | 'signup' | 'signout', body: object): Promise<Answer> {
    return askAuth(this.#deps.environment.fetch, this.#deps.url, what, body);
  }
}

function signInResult({ data, code, message, status, retryAfterMs }: Answer): [SignInResult, Session?] {
  if (!isSession(data)) return [{ kind: 'refused', code: code ?? `HTTP_${status}`, message, retryAfterMs }];
  const { employee_id, name, api_token } = data;
  const mustChangePassword = isTemporary(data) && data.must_change_password;
  return [
    { kind: 'signed_in', employeeId: employee_id, name, mustChangePassword },
    { employee: employee_id, name, token: api_token },
  ];
}
