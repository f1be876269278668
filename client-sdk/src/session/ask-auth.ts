import type { ErrorDetail } from '@tailgate/sync-protocol';
import type { Environment } from '../platform/environment.ts';
import { Unreachable } from '../platform/errors.ts';
import { anything, fields, listOf, optional, text } from '../platform/reading.ts';

/** Every answer of our server, and none of a proxy's or a hotel's. */
const isEnvelope = fields({ message: text, data: anything });
const isDetail = fields({ path: text, message: text });
const isFailure = fields({ error: fields({ code: text, details: optional(listOf(isDetail)) }) });

/** What an auth endpoint says (contract §2): `code` and `details` where it says no. */
export interface Answer {
  readonly status: number;
  readonly message: string;
  readonly data: unknown;
  readonly code: string | undefined;
  readonly details: readonly ErrorDetail[];
  readonly retryAfterMs: number | undefined;
}

/** Asks an auth endpoint. Throws `Unreachable` where nobody answers, or somebody who is not our server. */
export async function askAuth(
  fetch: Environment['fetch'],
  url: string,
  what: 'signin' | 'signup' | 'signout' | 'password/update' | 'password/reset',
  body: object,
): Promise<Answer> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  try {
    const response = await fetch(`${url}/api/auth/${what}`, init);
    const said: unknown = await response.json();
    if (!isEnvelope(said) || response.status >= 500) throw new Error(`status ${response.status}`);
    const { code, details = [] } = isFailure(said) ? said.error : {};
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    return {
      status: response.status,
      message: said.message,
      data: said.data,
      code,
      details,
      retryAfterMs: seconds >= 0 ? seconds * 1_000 : undefined,
    };
  } catch (error) {
    throw new Unreachable(what, error);
  }
}
