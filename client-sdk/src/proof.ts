import type { RouteKey } from '@tailgate/sync-protocol';
import type { Environment } from './platform/environment.ts';
import { platform } from './platform/environment.ts';
import { NotSignedIn, Unreachable } from './platform/errors.ts';
import { fields, text } from './platform/reading.ts';
import type { Store } from './store/store.ts';

/** The server of the proofs, and the store with the session of the driver. */
export interface ProofServer {
  /** As `createClient` takes it, such as `https://pod.example.com`. */
  readonly url: string;
  /** The store of the client, which may run meanwhile, here or in another page. */
  readonly store: Pick<Store, 'readAll'>;
  /** Sends the request; default: the platform's own. */
  readonly fetch?: Environment['fetch'];
}

/** The stop of a proof. */
export interface ProofOf {
  /** A driver of the route, signed in on this device: `client.driver.current.employeeId`. */
  readonly employeeId: string;
  readonly route: RouteKey;
  readonly stop: number;
}

/** The result; none of its kinds is exceptional. */
export type ProofResult =
  | { readonly kind: 'done'; readonly pdf: Uint8Array<ArrayBuffer> }
  /**
   * `code` is the server's: NOT_FOUND before the back office has the stop, RECORDED_IN_SHADOW where it does not get it,
   * NOT_ASSIGNED, INVALID_TOKEN, RATE_LIMITED…
   */
  | {
      readonly kind: 'refused';
      readonly code: string;
      readonly message: string;
      readonly retryAfterMs: number | undefined;
    };

const isAccount = fields({ employee: text, token: text });
const isRefusal = fields({ message: text, error: fields({ code: text }) });

/**
 * Fetches the proof of a stop: a signed PDF, the copy for the customer. The server makes it once the back office has the
 * stop. Throws `NotSignedIn` without a session of the driver on this device, `Unreachable` without an answer.
 */
export async function stopProof(
  { url, store, fetch = platform.fetch }: ProofServer,
  { employeeId, route, stop }: ProofOf,
): Promise<ProofResult> {
  const account = (await store.readAll('account')).find(({ key }) => key === employeeId)?.value;
  if (!isAccount(account)) throw new NotSignedIn();
  const { facility, id: route_id, week_end } = route;
  const query = new URLSearchParams({ facility, route_id, week_end, stop_id: String(stop) });
  const headers = { 'employee-id': employeeId, 'api-token': account.token };
  try {
    const response = await fetch(`${url.replace(/\/+$/, '')}/api/route/stop/proof?${query.toString()}`, { headers });
    return response.ok ? { kind: 'done', pdf: await pdfOf(response) } : await refusalOf(response);
  } catch (error) {
    throw new Unreachable('proof', error);
  }
}

/** The page of a hotel network is no proof. */
async function pdfOf(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const pdf = new Uint8Array(await response.arrayBuffer());
  if (!String.fromCharCode(...pdf.subarray(0, 5)).startsWith('%PDF-')) throw new Error('the answer is no PDF');
  return pdf;
}

async function refusalOf(response: Response): Promise<ProofResult> {
  const content: unknown = await response.json();
  if (!isRefusal(content) || response.status >= 500) throw new Error(`status ${response.status}`);
  const { message, error } = content;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return { kind: 'refused', code: error.code, message, retryAfterMs: seconds >= 0 ? seconds * 1_000 : undefined };
}
