import type { Queryable } from '../../db/types.ts';
import { claimRequestKey, findRequestKey, deleteOldKeys } from './request-key-sql.ts';

/** A request with an `Idempotency-Key`. */
export interface KeyedRequest {
  /** The owner of the key. Equal keys of two drivers are two keys. */
  readonly owner: string;
  readonly key: string;
  /** SHA-256 of the request as it was sent. */
  readonly fingerprint: Buffer;
  readonly at: Date;
}

/** The route that the server found for a request; blank parts where it found none, or where no route belongs to it. */
export interface NamedRoute {
  readonly facility: string;
  readonly week_end: string;
}

/** The first request under a key. */
export interface RequestClaim extends NamedRoute {
  /** Whether both requests are the same. Otherwise the server refuses the later one. */
  readonly same: boolean;
  /** The first use of the key. After 30 days the same key is a new one. */
  readonly since: Date;
}

const noRoute: NamedRoute = { facility: '', week_end: '' };

/** Contract §4. */
const KEY_LIFETIME_MS = 30 * 86_400_000;
const oldest = (at: Date): Date => new Date(at.getTime() - KEY_LIFETIME_MS);

interface ClaimRow extends Omit<RequestClaim, 'since'> {
  readonly claimed_at: Date;
}
const claimOf = ({ claimed_at: since, same, facility, week_end }: ClaimRow): RequestClaim => ({
  same,
  facility,
  week_end,
  since,
});

/** Reads the first request under a key. */
export async function findClaim(db: Queryable, request: KeyedRequest): Promise<RequestClaim | undefined> {
  const { owner, key, fingerprint, at } = request;
  const { rows } = await db.query<ClaimRow & Record<string, unknown>>(findRequestKey, [
    owner,
    key,
    fingerprint,
    oldest(at),
  ]);
  return rows[0] && claimOf(rows[0]);
}

/**
 * Claims a key for a request, before the pipeline takes any of it. A repetition means the route of the first request,
 * also if the same words name another route now. If the first request found no route, the first route found counts.
 * Concurrent requests wait for each other and agree.
 */
export async function claimKey(
  db: Queryable,
  request: KeyedRequest,
  route: NamedRoute = noRoute,
): Promise<RequestClaim> {
  const { owner, key, fingerprint, at } = request;
  await db.query(deleteOldKeys, [owner, key, oldest(at)]);
  const values = [owner, key, fingerprint, route.facility, route.week_end, at];
  const { rows } = await db.query<ClaimRow & Record<string, unknown>>(claimRequestKey, values);
  if (!rows[0]) throw new Error('a claimed key has a row');
  return claimOf(rows[0]);
}
