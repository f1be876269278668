import { newId, platform } from '../platform/environment.ts';
import { fields, flag, optional, text } from '../platform/reading.ts';

/** What any of the auth endpoints takes. */
const isAuthBody = fields({
  employee_id: text,
  password: optional(text),
  confirm_login: optional(flag),
  api_token: optional(text),
});

/** The password of every driver of a scripted server. */
export const driverPassword = 'secret-of-driver';

/** What is said over HTTP. */
export interface Answer {
  readonly status: number;
  /** JSON; none where there is no more to say. */
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that says no, as REST says it. */
export const refusal = (status: number, code: string, message = code, data: object | null = null): Answer => ({
  status,
  body: { success: false, message, data, error: { code, details: [] } },
});

/** Signs in and up, or out: whoever has the password has a token. @param tokens that count, by token */
export function answerAuth(
  path: string,
  body: unknown,
  tokens: Map<string, string>,
  otherDrivers: readonly object[],
): Answer {
  if (!isAuthBody(body)) return refusal(400, 'VALIDATION_FAILED');
  const { employee_id, password, confirm_login, api_token: shown = '' } = body;
  if (path.endsWith('/signout')) {
    tokens.delete(shown);
    return { status: 200, body: { success: true, message: 'Signed out', data: null } };
  }
  if (password !== driverPassword) return refusal(401, 'INVALID_CREDENTIALS');
  if (otherDrivers.length > 0 && !confirm_login) {
    const data = { other_drivers_signed_in: true, drivers: otherDrivers };
    return refusal(409, 'OTHER_DRIVERS_SIGNED_IN', 'other_drivers_signed_in', data);
  }
  const api_token = newId(platform);
  tokens.set(api_token, employee_id);
  const data = { employee_id, name: `Driver ${employee_id}`, api_token, must_change_password: false };
  return { status: 200, body: { success: true, message: 'Signed in', data } };
}
