import { parseScope, type Scope } from '@tailgate/sync-protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { Sessions } from '../../auth/sessions.ts';
import type { Queryable } from '../../db/types.ts';
import { gather } from '../../db/gather.ts';
import { credentialsOf } from '../../wire/access.ts';
import { AppError } from '../../wire/errors.ts';
import { readScopes, scopeState, type ScopeRequest, type Reading } from '../scope-readings.ts';
import { etagOf, plainSnapshot, snapshotEncodings, Snapshots, type Snapshot } from '../snapshots.ts';

export interface SnapshotOptions {
  readonly path: string;
  readonly db: Queryable;
  readonly sessions: Pick<Sessions, 'authenticate'>;
  readonly serverEpoch: number;
}

/** Whole routes in one statement; each may be a megabyte of text. */
const MAX_SCOPES_PER_READ = 8;

/**
 * `GET …/snapshot?scope=`: a whole scope as a patch from nothing, for first contact and for clients far behind. Each
 * version is built and compressed once. A cached scope costs one read of its version, so that the answer is never old.
 * Any other scope is read whole at once.
 */
export function serveSnapshots(http: FastifyInstance, { path, db, sessions, serverEpoch }: SnapshotOptions): void {
  const read = (max: number) =>
    gather(
      async (requests: readonly ScopeRequest[]) => (await readScopes(db, requests)).map((reading) => ({ reading })),
      {
        max,
      },
    );
  const readState = read(500);
  const snapshots = new Snapshots(read(MAX_SCOPES_PER_READ), serverEpoch);

  http.get(path, async (request, reply) => {
    const { employee, token } = credentialsOf(request);
    if (!employee || !token) throw new AppError('MISSING_CREDENTIALS');
    const scope = scopeOf(request);
    const kind = scope === undefined ? undefined : parseScope(scope)?.kind;
    const known = request.headers['if-none-match'];
    const accepted = encodingFor(request);
    const encoding = accepted === 'identity' ? 'gzip' : accepted;
    if (!(await sessions.authenticate(employee, token))) throw new AppError('INVALID_TOKEN');
    // The answers to one queue are few, and its connection gets them as patches.
    if (scope === undefined || kind === undefined || kind === 'client')
      throw new AppError('VALIDATION_FAILED', {
        details: [{ path: 'scope', message: 'must be a route or codes:all' }],
      });
    const mayRead = (reading: Pick<Reading, 'drivers'> | undefined): boolean =>
      reading !== undefined && (!reading.drivers || reading.drivers.has(employee));

    let snapshot: Snapshot | undefined;
    if (known !== undefined || snapshots.has(scope, encoding)) {
      const { reading: state } = await readState(scopeState(scope));
      if (!state || !mayRead(state)) throw new AppError('NOT_ASSIGNED');
      const etag = etagOf(state, serverEpoch);
      if (known?.includes(etag)) return reply.headers(headersOf(etag)).code(304).send();
      snapshot = await snapshots.at(etag, scope, encoding);
    } else {
      const fresh = await snapshots.fresh(scope, encoding);
      if (mayRead(fresh)) snapshot = fresh;
    }
    if (!snapshot) throw new AppError('NOT_ASSIGNED');
    reply.headers(headersOf(snapshot.etag)).type('application/json; charset=utf-8');
    if (accepted === 'identity') return reply.send(await plainSnapshot(snapshot.body, encoding));
    return reply.header('content-encoding', accepted).send(snapshot.body);
  });
}

const headersOf = (etag: string) => ({ etag, vary: 'accept-encoding', 'cache-control': 'private, no-cache' });

/** The smallest among the encodings that the caller prefers equally. */
function encodingFor(request: FastifyRequest): (typeof snapshotEncodings)[number] | 'identity' {
  const offered = [...snapshotEncodings, 'identity'] as const;
  const [best = 'identity'] = new Negotiator(request).encodings(offered, { preferred: offered });
  return best;
}

function scopeOf({ query }: FastifyRequest): Scope | undefined {
  return typeof query === 'object' && query !== null && 'scope' in query && typeof query.scope === 'string'
    ? query.scope
    : undefined;
}
