import { sessionsChannel } from '../db/notify-sql.ts';
import { byteaArray, instantArray } from '../db/arrays.ts';
import { gather } from '../db/gather.ts';
import type { Listener } from '../db/listen.ts';
import type { Queryable } from '../db/types.ts';
import type { RevokedReason, SessionFacts, SessionState } from './rules.ts';
import { isDueForUse, sessionState, expiryAfter } from './rules.ts';
import { findSession, findSessions, recordUse } from './sql.ts';
import { hashToken } from './tokens.ts';

/** A driver with a valid token. */
export interface Driver {
  readonly employee: string;
}

export interface SessionRow {
  readonly employee: string;
  readonly created_at: Date;
  readonly last_seen_at: Date;
  readonly expires_at: Date;
  readonly revoked_at: Date | null;
  readonly revoked_reason: RevokedReason | null;
  readonly on_open_route: boolean;
}

export const factsOf = (row: SessionRow): SessionFacts => ({
  createdAt: row.created_at,
  lastSeenAt: row.last_seen_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  revokedReason: row.revoked_reason,
  onOpenRoute: row.on_open_route,
});

/** The state of a token in the database; undefined where this employee never had it. */
export async function readSessionState(
  db: Queryable,
  employee: string,
  token: string,
  now: Date,
): Promise<SessionState | undefined> {
  const { rows } = await db.query<SessionRow>(findSession, [hashToken(token), employee]);
  return rows[0] && sessionState(factsOf(rows[0]), now);
}

/** The states of many tokens, by hash, for connections that outlive a request; undefined for an unknown session. */
export async function readSessionStates(
  db: Queryable,
  tokenHashes: readonly Buffer[],
  now: Date,
): Promise<(SessionState | undefined)[]> {
  const { rows } = await db.query<SessionRow & { token_hash: Buffer }>(findSessions, [tokenHashes]);
  const states = new Map(rows.map((row) => [row.token_hash.toString('hex'), sessionState(factsOf(row), now)]));
  return tokenHashes.map((hash) => states.get(hash.toString('hex')));
}

interface ShownToken {
  readonly employee: string;
  readonly token: string;
  readonly now: Date;
}

/** Authenticates many tokens at once. Each use extends them. */
async function checkAll(db: Queryable, shown: readonly ShownToken[]): Promise<{ readonly counts: boolean }[]> {
  const hashes = shown.map(({ token }) => hashToken(token));
  const { rows } = await db.query<SessionRow & { token_hash: Buffer }>(findSessions, [byteaArray(hashes)]);
  const found = new Map(rows.map((row) => [row.token_hash.toString('hex'), row]));
  const renewals = new Map<string, { hash: Buffer; now: Date; until: Date }>();
  const answers = shown.map(({ employee, now }, i) => {
    const hash = hashes[i] ?? Buffer.alloc(0);
    const row = found.get(hash.toString('hex'));
    if (row?.employee !== employee) return { counts: false };
    const session = factsOf(row);
    if (sessionState(session, now).kind === 'ended') return { counts: false };
    if (isDueForUse(session, now))
      renewals.set(hash.toString('hex'), { hash, now, until: expiryAfter(session.createdAt, now) });
    return { counts: true };
  });
  if (renewals.size > 0) {
    const used = [...renewals.values()];
    const times = (of: 'now' | 'until'): Buffer => instantArray(used.map((one) => one[of]));
    await db.query(recordUse, [byteaArray(used.map(({ hash }) => hash)), times('now'), times('until')]);
  }
  return answers;
}

/**
 * How long the cache keeps an answer. The end of a session arrives at once by notification; this limit covers the rest.
 */
const cacheMs = 5_000;
/** The cache has one entry for each driver, of some hundred bytes. */
const maxDrivers = 10_000;

interface CachedToken {
  readonly until: number;
  readonly driver: Promise<Driver | undefined>;
}

/** Caches for some seconds who is signed in, so that authentication needs no statement for each request. */
export class Sessions {
  readonly #check: (shown: ShownToken) => Promise<{ readonly counts: boolean }>;
  readonly #now: () => Date;
  readonly #cache = new Map<string, Map<string, CachedToken>>();

  constructor(db: Queryable, now: () => Date) {
    this.#check = gather((shown: readonly ShownToken[]) => checkAll(db, shown), { atOnce: 1 });
    this.#now = now;
  }

  /** Receives ended sessions from all nodes. After a broken LISTEN session it drops the whole cache. */
  async follow(listener: Pick<Listener, 'onNotify' | 'onReconnect'>): Promise<void> {
    listener.onReconnect(() => this.#cache.clear());
    await listener.onNotify(sessionsChannel, (payload) => this.forget(payload.split(' ')));
  }

  async authenticate(employee: string, token: string): Promise<Driver | undefined> {
    const now = this.#now();
    const tokens = this.#tokensOf(employee);
    const known = tokens.get(token);
    if (known && now.getTime() < known.until) return known.driver;
    // Concurrent requests share one lookup. Only success is cached: a failure may succeed after a sign-in.
    const driver = this.#check({ employee, token, now }).then(({ counts }) => (counts ? { employee } : undefined));
    tokens.set(token, { until: now.getTime() + cacheMs, driver });
    const answer = await driver.catch((error: unknown) => {
      this.#drop(employee, token, driver);
      throw error;
    });
    if (!answer) this.#drop(employee, token, driver);
    return answer;
  }

  /** Drops the sessions of these employees from the cache, also during a lookup. */
  forget(employees: readonly string[]): void {
    for (const employee of employees) this.#cache.delete(employee);
  }

  #tokensOf(employee: string): Map<string, CachedToken> {
    const known = this.#cache.get(employee);
    if (known) return known;
    const oldest = this.#cache.keys().next();
    if (this.#cache.size >= maxDrivers && !oldest.done) this.#cache.delete(oldest.value);
    const tokens = new Map<string, CachedToken>();
    this.#cache.set(employee, tokens);
    return tokens;
  }

  #drop(employee: string, token: string, driver: CachedToken['driver']): void {
    const tokens = this.#cache.get(employee);
    if (tokens?.get(token)?.driver !== driver) return;
    tokens.delete(token);
    if (tokens.size === 0) this.#cache.delete(employee);
  }
}
