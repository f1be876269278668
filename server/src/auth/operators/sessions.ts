import type { OperatorRole } from '@tailgate/sync-protocol';
import type { Queryable } from '../../db/types.ts';
import { hashToken } from '../tokens.ts';
import * as sql from './operator-sql.ts';
import { isUseDue, isValid, type OperatorLimits } from './rules.ts';

/** A named person of the office. */
export interface Operator {
  /** One to ten of A–Z and 0–9, as a user profile on the host. */
  readonly id: string;
  readonly name: string;
  readonly role: OperatorRole;
}

/** An operator with a valid session. */
export interface SignedOperator extends Operator {
  readonly session: Buffer;
  readonly expiresAt: Date;
  /** The session began with a one-time password: it can only set an own one. */
  readonly mustChangePassword: boolean;
}

type SessionRow = Operator & {
  readonly must_change_password: boolean;
  readonly last_seen_at: Date;
  readonly expires_at: Date;
};

export interface OperatorSessionDeps {
  readonly db: Queryable;
  readonly now: () => Date;
  readonly limits: OperatorLimits;
}

/**
 * Checks the sessions of operators. Every request reads the database, without a cache: an office makes few requests, and
 * a revocation counts on every node with its commit.
 */
export class OperatorSessions {
  readonly #deps: OperatorSessionDeps;

  constructor(deps: OperatorSessionDeps) {
    this.#deps = deps;
  }

  /** @returns undefined for an unknown, ended or idle session */
  async authenticate(token: string): Promise<SignedOperator | undefined> {
    const { db, limits } = this.#deps;
    const now = this.#deps.now();
    const session = hashToken(token);
    const { rows } = await db.query<SessionRow>(sql.findSession, [session]);
    const [row] = rows;
    if (!row) return undefined;
    const facts = { lastSeenAt: row.last_seen_at, expiresAt: row.expires_at };
    if (!isValid(facts, limits, now)) return undefined;
    if (isUseDue(facts, now)) await db.query(sql.recordUse, [session, now]);
    const { id, name, role, must_change_password: mustChangePassword, expires_at: expiresAt } = row;
    return { id, name, role, session, expiresAt, mustChangePassword };
  }

  /** Whether a session still counts. To ask is no use of it. */
  async isOpen(session: Buffer): Promise<boolean> {
    const { db, limits } = this.#deps;
    const { rows } = await db.query<SessionRow>(sql.findSession, [session]);
    return rows.some(({ last_seen_at, expires_at }) =>
      isValid({ lastSeenAt: last_seen_at, expiresAt: expires_at }, limits, this.#deps.now()),
    );
  }

  /** Ends one session, at once on every node. */
  async end(session: Buffer): Promise<void> {
    await this.#deps.db.query(sql.endSession, [session, this.#deps.now()]);
  }
}
