import { createHash } from 'node:crypto';
import { endSessions } from '../../server/src/auth/end-sessions.ts';
import { withTransaction } from '../../server/src/db/transaction.ts';
import type { Db } from '../../server/src/db/types.ts';
import { DriverHistory } from './model/diary.ts';
import { tokenOf } from './model/fixture.ts';
import type { Phone } from './phone.ts';

/** Tokens of a copy's sign-ins differ from those of the first phone. */
const FIRST_SIGN_IN_OF_A_COPY = 1_000;

/** A driver, the driver's diary, and the phone, which two drivers may share by turns. */
export class Driver {
  readonly employee: string;
  /** The stop that no other driver touches. */
  readonly own: number;
  readonly phone: Phone;
  readonly history = new DriverHistory();
  #isSignedIn = true;
  #signIns = 0;
  #token = '';

  constructor(employee: string, own: number, phone: Phone) {
    this.employee = employee;
    this.own = own;
    this.phone = phone;
  }

  /** The same driver with another phone, whose storage is a copy of this one's. */
  withCopy(phone: Phone): Driver {
    const twin = new Driver(this.employee, this.own, phone);
    twin.#isSignedIn = this.#isSignedIn;
    twin.#signIns = FIRST_SIGN_IN_OF_A_COPY;
    return twin;
  }

  /** Counts the sign-ins. A backup of the phone has the token of its number. */
  get signIns(): number {
    return this.#signIns;
  }

  get hasPhone(): boolean {
    return this.phone.employee === this.employee;
  }

  /** Whether the server has a session. The phone may not know yet that its session has ended. */
  get isSignedIn(): boolean {
    return this.#isSignedIn;
  }

  /** The product has opened a session for the driver. The app must not run. */
  async enter(token: string): Promise<void> {
    this.#token = token;
    this.#isSignedIn = true;
    await this.phone.signIn(this.employee, token);
  }

  /** The product has ended the session. The phone is not notified. */
  leave(): void {
    this.#isSignedIn = false;
  }

  /** Of the latest session that the product has opened. */
  get token(): string {
    return this.#token;
  }

  /** Another driver has taken the route over (`confirm_login`). The phone is not notified. */
  async evict(db: Db, now: number): Promise<void> {
    this.#isSignedIn = false;
    await withTransaction(db, (tx) => endSessions(tx, [this.employee], new Date(now), 'evicted'));
  }

  /** Signs in again; the app must not run. */
  async signIn(db: Db): Promise<void> {
    const token = tokenOf(this.employee, ++this.#signIns);
    await insertSessions(db, [{ employee: this.employee, token }]);
    this.#isSignedIn = true;
    await this.phone.signIn(this.employee, token);
  }

  /**
   * Whether the driver's queue can drain without a sign-in: the phone holds the queue key that the server accepts. A
   * delayed hello may have replaced the key at the server.
   */
  async hasQueueKey(db: Db): Promise<boolean> {
    const keys = (await this.storedQueueKeys()).map(hashOf);
    const { rowCount } = await db.query('select from client where queue_key_hash = any($1::bytea[])', [keys]);
    return rowCount !== 0;
  }

  /** The keys on the phone of queues that take the driver's changes. The server may have replaced them. */
  async storedQueueKeys(): Promise<string[]> {
    const heads = await this.phone.disk.readAll('queue');
    return heads.flatMap(({ value }) => {
      const isPresent = isHead(value) && value.employee === this.employee && !value.retired;
      return isPresent && value.queue_key !== null ? [value.queue_key] : [];
    });
  }
}

/** Sessions as a sign-in makes them. */
export async function insertSessions(db: Db, sessions: readonly { employee: string; token: string }[]): Promise<void> {
  await db.query(
    `insert into session (token_hash, employee, device, expires_at)
     select h, e, 'simulation', 'infinity' from unnest($1::bytea[], $2::text[]) as k (h, e)`,
    [sessions.map(({ token }) => hashOf(token)), sessions.map(({ employee }) => employee)],
  );
}

const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

interface Head {
  readonly employee: string;
  readonly queue_key: string | null;
  /** Its changes went on in another queue. */
  readonly retired: boolean;
}

function isHead(value: unknown): value is Head {
  return typeof value === 'object' && value !== null && 'employee' in value && 'queue_key' in value;
}
