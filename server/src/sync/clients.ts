import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ErrorCode, HelloFrame } from '@tailgate/sync-protocol';
import type { Queryable } from '../db/types.ts';
import type { Boot } from './device-clock.ts';
import { bindClients, findClients, replaceQueueKeys, tieClients } from './sql.ts';

/** A queue as the first frame of its client names it. */
export type ClientAsk = Pick<
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
      readonly held: boolean;
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
 * asks for a new key, and the old key ends.
 */
export async function openClients(
  db: Queryable,
  asks: readonly ClientAsk[],
  now: Date,
  by: Opener = 'phone',
): Promise<ClientAnswer[]> {
  const keys = new Map<ClientAsk, string>();
  let known = await findAll(db, asks);
  const newClients = firstOfEach(asks.filter((ask) => !ask.queue_key && !known.has(ask.client_id)));
  if (newClients.length > 0) {
    const bound = await bind(db, newClients);
    for (const [ask, key] of bound) keys.set(ask, key);
    // This reads queues that another node bound meanwhile, too.
    known = await findAll(db, asks);
  }
  const answers = asks.map((ask) => judge(ask, known.get(ask.client_id), by));
  const open = asks.filter((ask, i) => !ask.queue_key && !keys.has(ask) && answers[i]?.kind === 'open');
  const untied = await tieToSessions(db, open, known, now);
  const wanting = firstOfEach(
    // The key of a reopened queue may be in other hands, so the queue gets a new one.
    open.filter((ask) => !untied.has(ask) && (ask.wants_queue_key || isHeld(known.get(ask.client_id)))),
  );
  if (wanting.length > 0) for (const [ask, key] of await replaceKeys(db, wanting)) keys.set(ask, key);
  return answers.map((answer, i) => {
    const ask = asks[i];
    if (answer.kind === 'refused' || !ask) return answer;
    if (untied.has(ask)) return { kind: 'refused', code: 'INVALID_TOKEN' };
    return { ...answer, queueKey: keys.get(ask) ?? null };
  });
}

/** Most phones come back with the stored session and the stored run of the app. They need no write. */
const isTied = ({ session, boot }: ClientAsk, row: ClientRow | undefined): boolean =>
  !session || (row?.session_hash?.equals(session) === true && !isHeld(row) && (!boot || row.boot_id === boot.id));

/** New items go to quarantine until the driver signs in again. */
const isHeld = (row: ClientRow | undefined): boolean =>
  row !== undefined && row.held_at !== null && row.revoked_at !== null;

/** @returns the queues whose session ended after it was checked */
async function tieToSessions(
  db: Queryable,
  asks: readonly ClientAsk[],
  known: ReadonlyMap<string, ClientRow>,
  now: Date,
): Promise<ReadonlySet<ClientAsk>> {
  const tying = firstOfEach(asks.filter((ask) => !isTied(ask, known.get(ask.client_id))));
  if (tying.length === 0) return new Set();
  const { rows } = await db.query<{ client_id: string }>(tieClients, [...tieClients.parameters(tying), now]);
  const tied = new Set(rows.map((row) => row.client_id));
  return new Set(tying.filter((ask) => !tied.has(ask.client_id)));
}

/** The owner of a queue; undefined for an unknown queue. */
export async function findOwner(db: Queryable, clientId: string): Promise<string | undefined> {
  const { rows } = await db.query<ClientRow>(findClients, [[clientId]]);
  return rows[0]?.employee;
}

function judge(ask: ClientAsk, row: ClientRow | undefined, by: Opener): ClientAnswer {
  if (!row) return { kind: 'refused', code: 'INVALID_TOKEN' };
  // The key comes first: a caller without it learns nothing of the queue.
  if (ask.queue_key && !timingSafeEqual(sha256(ask.queue_key), row.queue_key_hash))
    return { kind: 'refused', code: 'INVALID_TOKEN' };
  if (row.employee !== ask.employee_id) return { kind: 'refused', code: 'CLIENT_OF_OTHER_EMPLOYEE' };
  if (row.revoked_at && !row.held_at && by === 'phone') return { kind: 'refused', code: 'CLIENT_REVOKED' };
  return { kind: 'open', lastSeq: row.last_seq, queueKey: null, held: !ask.session && isHeld(row) };
}

async function findAll(db: Queryable, asks: readonly ClientAsk[]): Promise<Map<string, ClientRow>> {
  const { rows } = await db.query<ClientRow>(findClients, [asks.map((ask) => ask.client_id)]);
  return new Map(rows.map((row) => [row.client_id, row]));
}

async function bind(db: Queryable, asks: readonly ClientAsk[]): Promise<[ClientAsk, string][]> {
  const minted = mint(asks);
  const { rows } = await db.query<{ client_id: string }>(bindClients, bindClients.parameters(minted.map(withKeyHash)));
  const inserted = new Set(rows.map((row) => row.client_id));
  return minted.filter(([ask]) => inserted.has(ask.client_id));
}

async function replaceKeys(db: Queryable, asks: readonly ClientAsk[]): Promise<[ClientAsk, string][]> {
  const minted = mint(asks);
  await db.query(replaceQueueKeys, replaceQueueKeys.parameters(minted.map(withKeyHash)));
  return minted;
}

const mint = (asks: readonly ClientAsk[]): [ClientAsk, string][] =>
  asks.map((ask) => [ask, randomBytes(32).toString('base64url')]);

const withKeyHash = ([ask, key]: [ClientAsk, string]) => ({ ...ask, keyHash: sha256(key) });

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Two connections may open the same queue at the same moment; only the first ask counts. */
function firstOfEach(asks: readonly ClientAsk[]): ClientAsk[] {
  const first = new Map<string, ClientAsk>();
  for (const ask of asks) if (!first.has(ask.client_id)) first.set(ask.client_id, ask);
  return [...first.values()];
}
