import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ErrorCode, HelloFrame } from '@tailgate/sync-protocol';
import type { Queryable } from '../db/types.ts';
import type { Boot } from './device-clock.ts';
import { bindClients, findClients, replaceQueueKeys, tieClients } from './sql.ts';

/** A queue as the first frame of its client names it. */
export type ClientRequest = Pick<
  HelloFrame,
  'client_id' | 'employee_id' | 'device' | 'sdk' | 'app' | 'queue_key' | 'wants_queue_key'
> & {
  /** The hash of a valid token; absent where the request has a queue key or the operator's token. */
  readonly session?: Buffer | null;
  /** The run of the device's clock, where the phone sent its clocks. */
  readonly boot?: Boot | null;
};

/** An operator submits the items of a rescued phone, also where its queue was revoked. */
export type Opener = 'phone' | 'operator';

export type ClientAnswer =
  | {
      readonly kind: 'open';
      readonly lastSeq: number;
      /** Sent once: the database stores only its hash. */
      readonly queueKey: string | null;
      /** The driver was unregistered, and no session has opened the queue since. New items go to quarantine. */
      readonly quarantinesItems: boolean;
    }
  | {
      readonly kind: 'refused';
      readonly code: Extract<ErrorCode, 'INVALID_TOKEN' | 'CLIENT_OF_OTHER_EMPLOYEE' | 'CLIENT_REVOKED'>;
    };

interface ClientRow extends Record<string, unknown> {
  readonly client_id: string;
  readonly employee: string;
  readonly queue_key_hash: Buffer;
  readonly last_seq: number;
  readonly revoked_at: Date | null;
  readonly held_at: Date | null;
  readonly session_hash: Buffer | null;
  readonly boot_id: string | null;
}

/**
 * Opens queues, many at once. A new queue is bound to its employee for ever and gets a queue key (protocol.md, The
 * queue). A known queue is checked and tied to the session of its phone. A client that lost the answer with its key
 * requests a new key, which revokes the old one.
 */
export async function openClients(
  db: Queryable,
  requests: readonly ClientRequest[],
  now: Date,
  by: Opener = 'phone',
): Promise<ClientAnswer[]> {
  const keys = new Map<ClientRequest, string>();
  let known = await findAll(db, requests);
  const newClients = firstOfEach(requests.filter((request) => !request.queue_key && !known.has(request.client_id)));
  if (newClients.length > 0) {
    const bound = await bind(db, newClients, now);
    for (const [request, key] of bound) keys.set(request, key);
    // This reads queues that another node bound meanwhile, too.
    known = await findAll(db, requests);
  }
  const answers = requests.map((request) => decide(request, known.get(request.client_id), by));
  const open = requests.filter((request, i) => !request.queue_key && !keys.has(request) && answers[i]?.kind === 'open');
  const untied = await tieToSessions(db, open, known, now);
  const needingKeys = firstOfEach(
    // Another person may have the key of a reopened queue, so the queue gets a new one.
    open.filter(
      (request) => !untied.has(request) && (request.wants_queue_key || quarantinesItems(known.get(request.client_id))),
    ),
  );
  if (needingKeys.length > 0) for (const [request, key] of await replaceKeys(db, needingKeys)) keys.set(request, key);
  return answers.map((answer, i) => {
    const request = requests[i];
    if (answer.kind === 'refused' || !request) return answer;
    if (untied.has(request)) return { kind: 'refused', code: 'INVALID_TOKEN' };
    return { ...answer, queueKey: keys.get(request) ?? null };
  });
}

/** `unopened`: its opening writes, for a new queue or another session of the phone. */
export type FoundClient = ClientAnswer | { readonly kind: 'unopened' };

/** As `openClients`, as far as that needs no write. */
export async function findOpenClients(
  db: Queryable,
  requests: readonly ClientRequest[],
  by: Opener = 'phone',
): Promise<FoundClient[]> {
  const known = await findAll(db, requests);
  return requests.map((request) => {
    const row = known.get(request.client_id);
    if (!row && !request.queue_key) return { kind: 'unopened' };
    const answer = decide(request, row, by);
    const isDone = request.queue_key || (isTied(request, row) && !quarantinesItems(row) && !request.wants_queue_key);
    return answer.kind === 'refused' || isDone ? answer : { kind: 'unopened' };
  });
}

/** Most phones reconnect with the stored session and app run. They need no write. */
const isTied = ({ session, boot }: ClientRequest, row: ClientRow | undefined): boolean =>
  !session ||
  (row?.session_hash?.equals(session) === true && !quarantinesItems(row) && (!boot || row.boot_id === boot.id));

/** New items go to quarantine until the driver signs in again. */
const quarantinesItems = (row: ClientRow | undefined): boolean =>
  row !== undefined && row.held_at !== null && row.revoked_at !== null;

/** @returns the queues whose session ended after it was checked */
async function tieToSessions(
  db: Queryable,
  requests: readonly ClientRequest[],
  known: ReadonlyMap<string, ClientRow>,
  now: Date,
): Promise<ReadonlySet<ClientRequest>> {
  const untied = firstOfEach(requests.filter((request) => !isTied(request, known.get(request.client_id))));
  if (untied.length === 0) return new Set();
  const { rows } = await db.query<{ client_id: string }>(tieClients, [...tieClients.parameters(untied), now]);
  const tied = new Set(rows.map((row) => row.client_id));
  return new Set(untied.filter((request) => !tied.has(request.client_id)));
}

/** The owner of a queue; undefined for an unknown queue. */
export async function findOwner(db: Queryable, clientId: string): Promise<string | undefined> {
  const { rows } = await db.query<ClientRow>(findClients, [[clientId]]);
  return rows[0]?.employee;
}

function decide(request: ClientRequest, row: ClientRow | undefined, by: Opener): ClientAnswer {
  if (!row) return { kind: 'refused', code: 'INVALID_TOKEN' };
  // The key is checked first: a caller without it gets no information about the queue.
  if (request.queue_key && !timingSafeEqual(sha256(request.queue_key), row.queue_key_hash))
    return { kind: 'refused', code: 'INVALID_TOKEN' };
  if (row.employee !== request.employee_id) return { kind: 'refused', code: 'CLIENT_OF_OTHER_EMPLOYEE' };
  if (row.revoked_at && !row.held_at && by === 'phone') return { kind: 'refused', code: 'CLIENT_REVOKED' };
  return {
    kind: 'open',
    lastSeq: row.last_seq,
    queueKey: null,
    quarantinesItems: !request.session && quarantinesItems(row),
  };
}

async function findAll(db: Queryable, requests: readonly ClientRequest[]): Promise<Map<string, ClientRow>> {
  const { rows } = await db.query<ClientRow>(findClients, [requests.map((request) => request.client_id)]);
  return new Map(rows.map((row) => [row.client_id, row]));
}

async function bind(db: Queryable, requests: readonly ClientRequest[], now: Date): Promise<[ClientRequest, string][]> {
  const generated = generateKeys(requests);
  const values = [...bindClients.parameters(generated.map(withKeyHash)), now];
  const { rows } = await db.query<{ client_id: string }>(bindClients, values);
  const inserted = new Set(rows.map((row) => row.client_id));
  return generated.filter(([request]) => inserted.has(request.client_id));
}

async function replaceKeys(db: Queryable, requests: readonly ClientRequest[]): Promise<[ClientRequest, string][]> {
  const generated = generateKeys(requests);
  await db.query(replaceQueueKeys, replaceQueueKeys.parameters(generated.map(withKeyHash)));
  return generated;
}

const generateKeys = (requests: readonly ClientRequest[]): [ClientRequest, string][] =>
  requests.map((request) => [request, randomBytes(32).toString('base64url')]);

const withKeyHash = ([request, key]: [ClientRequest, string]) => ({ ...request, keyHash: sha256(key) });

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Two connections may open the same queue at the same moment; only the first request counts. */
function firstOfEach(requests: readonly ClientRequest[]): ClientRequest[] {
  const first = new Map<string, ClientRequest>();
  for (const request of requests) if (!first.has(request.client_id)) first.set(request.client_id, request);
  return [...first.values()];
}
