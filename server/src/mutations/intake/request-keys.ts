import type { Queryable } from '../../db/types.ts';
import { claimRequestKey, findRequestKey, forgetOldKeys } from './request-key-sql.ts';

/** A request that came under an `Idempotency-Key`. */
export interface KeyedRequest {
  /** Whose key it is: keys of two drivers are two keys. */
  readonly owner: string;
  readonly key: string;
  /** SHA-256 of what was asked for, as it was sent. */
  readonly fingerprint: Buffer;
  readonly at: Date;
}

/** The route that a request was found to mean; blank parts where none was found. */
export interface MeantRoute {
  readonly facility: string;
  readonly week_end: string;
}

/** What a key stands for, as of its first request. */
export interface RequestClaim extends MeantRoute {
  /** The same was asked for. Otherwise nothing of the request may be taken. */
  readonly same: boolean;
  /** When the key's life began: the same key after its 30 days is another one. */
  readonly since: Date;
}

/** Contract §4. */
const KEPT_MS = 30 * 86_400_000;
const oldest = (at: Date): Date => new Date(at.getTime() - KEPT_MS);

interface ClaimRow extends Omit<RequestClaim, 'since'> {
  readonly claimed_at: Date;
}
const claimOf = ({ claimed_at: since, same, facility, week_end }: ClaimRow): RequestClaim => ({
  same,
  facility,
  week_end,
  since,
});

/** What a key stands for already. */
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
 * Claims a key for a request, before anything of the request is taken. A repetition means the route that the first one
 * was found to mean, also where the same words would name another one by now; where none was found, whatever is found
 * first. Requests of one moment wait for each other and agree.
 */
export async function claimKey(db: Queryable, request: KeyedRequest, route: MeantRoute): Promise<RequestClaim> {
  const { owner, key, fingerprint, at } = request;
  await db.query(forgetOldKeys, [owner, key, oldest(at)]);
  const values = [owner, key, fingerprint, route.facility, route.week_end, at];
  const { rows } = await db.query<ClaimRow & Record<string, unknown>>(claimRequestKey, values);
  if (!rows[0]) throw new Error('a claimed key has a row');
  return claimOf(rows[0]);
}
