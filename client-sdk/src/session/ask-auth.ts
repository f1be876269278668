import type { ErrorDetail } from '@tailgate/sync-protocol';
import type { Environment } from '../platform/environment.ts';
import { Unreachable } from '../platform/errors.ts';
import { anything, fields, listOf, optional, text } from '../platform/reading.ts';

/** The shape of every answer of the server; answers of proxies and hotel networks lack it. */
const isEnvelope = fields({ message: text, data: anything });
const isDetail = fields({ path: text, message: text });
const isFailure = fields({ error: fields({ code: text, details: optional(listOf(isDetail)) }) });

/** An answer of an auth endpoint (contract §2); a failure has `code` and `details`. */
export interface Answer {
  readonly status: number;
  readonly message: string;
  readonly data: unknown;
  readonly code: string | undefined;
  readonly details: readonly ErrorDetail[];
  readonly retryAfterMs: number | undefined;
}

/** Calls an auth endpoint. Throws `Unreachable` where no answer comes, or one that is not of the server. */
export async function askAuth(
  fetch: Environment['fetch'],
  url: string,
  what: 'signin' | 'signup' | 'signout' | 'password/update' | 'password/reset',
  body: object,
): Promise<Answer> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  try {
    const response = await fetch(`${url}/api/auth/${what}`, init);
    const content: unknown = await response.json();
    if (!isEnvelope(content) || response.status >= 500) throw new Error(`status ${response.status}`);
    const { code, details = [] } = isFailure(content) ? content.error : {};
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    return {
      status: response.status,
      message: content.message,
      data: content.data,
      code,
      details,
      retryAfterMs: seconds >= 0 ? seconds * 1_000 : undefined,
    };
  } catch (error) {
    throw new Unreachable(what, error);
  }
}
