import { newId, platform } from '../platform/environment.ts';
import { fields, flag, optional, text } from '../platform/reading.ts';

/** The body of any auth endpoint. */
const isAuthBody = fields({
  employee_id: text,
  password: optional(text),
  confirm_login: optional(flag),
  api_token: optional(text),
});

/** The password of every driver of a scripted server. */
export const driverPassword = 'secret-of-driver';

/** An HTTP answer. */
export interface Answer {
  readonly status: number;
  /** JSON; absent for an empty body. */
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A failure in the form of the REST API. */
export const refusal = (status: number, code: string, message = code, data: object | null = null): Answer => ({
  status,
  body: { success: false, message, data, error: { code, details: [] } },
});

/** Signs in, up or out: the right password gets a token. @param tokens the valid tokens, with their employees */
export function answerAuth(
  path: string,
  body: unknown,
  tokens: Map<string, string>,
  otherDrivers: readonly object[],
  names: readonly { readonly id: string; readonly name: string }[],
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
  const name = names.find(({ id }) => id === employee_id)?.name ?? `Driver ${employee_id}`;
  const data = { employee_id, name, api_token, must_change_password: false };
  return { status: 200, body: { success: true, message: 'Signed in', data } };
}
