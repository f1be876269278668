import { createHash } from 'node:crypto';
import { endSessions } from '../../server/src/auth/sql.ts';
import { textArray } from '../../server/src/db/arrays.ts';
import type { Db } from '../../server/src/db/types.ts';
import { Diary } from './diary.ts';
import { tokenOf } from './fixture.ts';
import type { Phone } from './phone.ts';

/** A driver, the phone that they work with, perhaps by turns with somebody else, and what they did on it. */
export class Driver {
  readonly employee: string;
  /** The stop that nobody else touches. */
  readonly own: number;
  readonly phone: Phone;
  readonly diary = new Diary();
  #isSignedIn = true;
  #signIns = 0;

  constructor(employee: string, own: number, phone: Phone) {
    this.employee = employee;
    this.own = own;
    this.phone = phone;
  }

  get hasPhone(): boolean {
    return this.phone.employee === this.employee;
  }

  /** As far as the server is concerned; the phone may not know better yet. */
  get isSignedIn(): boolean {
    return this.#isSignedIn;
  }

  /** Somebody else has taken the route over (`confirm_login`): nobody tells this phone. */
  async evict(db: Db, now: number): Promise<void> {
    this.#isSignedIn = false;
    await db.query(endSessions, [textArray([this.employee]), new Date(now), 'evicted']);
  }

  /** Signs in again; the app must not run. */
  async signIn(db: Db): Promise<void> {
    const token = tokenOf(this.employee, ++this.#signIns);
    await letIn(db, [{ employee: this.employee, token }]);
    this.#isSignedIn = true;
    await this.phone.signIn(this.employee, token);
  }

  /**
   * Whether what they have recorded arrives without their sign-in: their queue has been at the server once, and the key
   * that it got is the one that counts. A hello that was long under way may have had another one made.
   */
  async hasQueueKey(db: Db): Promise<boolean> {
    const heads = await this.phone.disk.rows('queue');
    const keys = heads.flatMap(({ value }) =>
      isHead(value) && value.employee === this.employee && value.queue_key !== null ? [hashOf(value.queue_key)] : [],
    );
    const { rowCount } = await db.query('select from client where queue_key_hash = any($1::bytea[])', [keys]);
    return rowCount !== 0;
  }
}

/** Sessions as a sign-in makes them. */
export async function letIn(db: Db, sessions: readonly { employee: string; token: string }[]): Promise<void> {
  await db.query(
    `insert into session (token_hash, employee, device, expires_at)
     select h, e, 'simulation', 'infinity' from unnest($1::bytea[], $2::text[]) as k (h, e)`,
    [sessions.map(({ token }) => hashOf(token)), sessions.map(({ employee }) => employee)],
  );
}

const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

function isHead(value: unknown): value is { readonly employee: string; readonly queue_key: string | null } {
  return typeof value === 'object' && value !== null && 'employee' in value && 'queue_key' in value;
}
