import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { parseScope, type Scope } from '@tailgate/sync-protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Sessions } from '../auth/sessions.ts';
import type { Queryable } from '../db/types.ts';
import { gather } from '../db/gather.ts';
import { contentOf, newHead, withText } from './head.ts';
import { snapshotText } from './patch-text.ts';
import { credentialsOf, refuse } from './plain-http.ts';
import { readScopes, scopeState, wholeScope, type Ask, type Reading } from './scope-readings.ts';

export interface SnapshotOptions {
  readonly path: string;
  readonly db: Queryable;
  readonly sessions: Pick<Sessions, 'authenticate'>;
  readonly serverEpoch: number;
}

interface Kept {
  readonly etag: string;
  readonly body: Buffer;
}

type ReadScope = (ask: Ask) => Promise<{ readonly reading: Reading | undefined }>;

/** Of compressed snapshots: some thousand routes. */
const CACHE_BYTES = 64 * 1024 * 1024;
/** Of a megabyte: 28 kB in 2.3 ms; the default, 6, takes 4 ms for 21 kB, and the first phone waits for it. */
const GZIP_LEVEL = 4;
/** Whole routes in one statement; each may be a megabyte of text. */
const WHOLE_AT_ONCE = 8;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/**
 * `GET …/snapshot?scope=`: a whole scope as a patch from nothing, for first contact and for whoever is far behind. Put
 * together and compressed once a version, whoever asks; the version is looked up each time, so that it is never old.
 */
export function serveSnapshots(http: FastifyInstance, { path, db, sessions, serverEpoch }: SnapshotOptions): void {
  const read = (most: number) =>
    gather(async (asks: readonly Ask[]) => (await readScopes(db, asks)).map((reading) => ({ reading })), {
      most: most,
    });
  const readState = read(500);
  const snapshots = new Snapshots(read(WHOLE_AT_ONCE), serverEpoch);

  http.get(path, async (request, reply) => {
    const { employee, token } = credentialsOf(request);
    if (!employee || !token) return refuse(request, reply, 'MISSING_CREDENTIALS');
    if (!(await sessions.authenticate(employee, token))) return refuse(request, reply, 'INVALID_TOKEN');
    const scope = scopeOf(request);
    const kind = scope === undefined ? undefined : parseScope(scope)?.kind;
    // The answers to one queue are few: its connection gets them as patches.
    if (scope === undefined || kind === undefined || kind === 'client')
      return refuse(request, reply, 'VALIDATION_FAILED', [{ path: 'scope', message: 'must be a route or codes:all' }]);
    const { reading: state } = await readState(scopeState(scope));
    if (!state || (state.drivers && !state.drivers.has(employee))) return refuse(request, reply, 'NOT_ASSIGNED');

    const { etag, body } = await snapshots.of(scope, etagOf(state, serverEpoch));
    reply.headers({
      etag,
      vary: 'accept-encoding',
      'cache-control': 'private, no-cache',
      'content-type': 'application/json; charset=utf-8',
    });
    if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send();
    if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(await decompress(body));
    return reply.header('content-encoding', 'gzip').send(body);
  });
}

/** The newest snapshot of each scope, the one used longest ago dropped first. */
class Snapshots {
  readonly #read: ReadScope;
  readonly #serverEpoch: number;
  readonly #kept = new Map<Scope, Kept>();
  readonly #making = new Map<Scope, Promise<Kept>>();
  #bytes = 0;

  constructor(read: ReadScope, serverEpoch: number) {
    this.#read = read;
    this.#serverEpoch = serverEpoch;
  }

  /** At `etag`, or newer where the scope has moved meanwhile. */
  async of(scope: Scope, etag: string): Promise<Kept> {
    const kept = this.#kept.get(scope);
    if (kept?.etag === etag) {
      this.#keep(scope, kept);
      return kept;
    }
    const key = `${scope} ${etag}`;
    const started = this.#making.get(key);
    if (started) return started;
    const making = this.#make(scope).finally(() => this.#making.delete(key));
    this.#making.set(key, making);
    return making;
  }

  async #make(scope: Scope): Promise<Kept> {
    const { reading } = await this.#read(wholeScope(scope));
    if (!reading) throw new Error(`the scope ${scope} has gone`);
    const head = newHead(scope, reading);
    const content = contentOf(head, epochName(reading, this.#serverEpoch), withText(reading.documents), []);
    const kept = {
      etag: etagOf(reading, this.#serverEpoch),
      body: await compress(snapshotText(content), { level: GZIP_LEVEL }),
    };
    this.#keep(scope, kept);
    return kept;
  }

  #keep(scope: Scope, kept: Kept): void {
    this.#drop(scope);
    this.#kept.set(scope, kept);
    this.#bytes += kept.body.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= CACHE_BYTES) break;
      this.#drop(oldest);
    }
  }

  #drop(scope: Scope): void {
    const kept = this.#kept.get(scope);
    if (!kept) return;
    this.#kept.delete(scope);
    this.#bytes -= kept.body.length;
  }
}

const epochName = ({ epoch }: Reading, serverEpoch: number): string =>
  epoch === 0 ? `${serverEpoch}` : `${serverEpoch}.${epoch}`;

/** Weak: compressed and plain bodies share it. */
function etagOf(reading: Reading, serverEpoch: number): string {
  const [parked, awaited] = [reading.hosted?.parked ?? [], reading.awaited ?? []];
  const exceptions =
    parked.length + awaited.length > 0
      ? createHash('sha256')
          .update(JSON.stringify([parked, awaited]))
          .digest('base64url')
      : '';
  return `W/"${epochName(reading, serverEpoch)}-${reading.version}-${reading.hosted?.through ?? ''}${exceptions.slice(0, 8)}"`;
}

function scopeOf({ query }: FastifyRequest): Scope | undefined {
  return typeof query === 'object' && query !== null && 'scope' in query && typeof query.scope === 'string'
    ? query.scope
    : undefined;
}
