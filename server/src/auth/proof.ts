import type { Queryable } from '../db/types.ts';
import type { AuthDeps } from './deps.ts';
import { markOf } from './one-time-password.ts';
import { countFailedAttempt } from './failed-attempts.ts';
import { deleteFailures, findAccount } from './proof-sql.ts';
import type { StoredCode } from './rules.ts';
import { isCodeUsable, waitMs } from './rules.ts';

/** Counts failed sign-ins by address, for all accounts. */
export interface AddressFailures {
  /** Milliseconds to wait; 0 below the limit. */
  readonly waitMs: () => Promise<number>;
  readonly countFailure: () => Promise<void>;
}

/** The origin of a password. */
export interface Origin {
  readonly address: string;
  /** The phone's name for itself; blank without one. */
  readonly device: string;
  readonly addressFailures: AddressFailures;
}

export interface Claim {
  readonly employee: string;
  readonly password: string;
  readonly origin: Origin;
}

export type Proof =
  | {
      readonly kind: 'proven';
      readonly name: string;
      readonly mustChange: boolean;
      /** The stored hash of the proof. It must be unchanged when the proof is used. */
      readonly by: 'password' | 'code';
      readonly hash: string;
    }
  | { readonly kind: 'wrong_credentials' }
  | { readonly kind: 'slowed_down'; readonly waitMs: number };

/**
 * Checks a claimed identity, for a sign-in or a new password. An unknown id, a wrong password, a former employee and an
 * unregistered employee all run the same statements and one hash.
 *
 * The check of the wait comes before the check of the password, so a right guess within the wait fails. Concurrent
 * guesses are judged by the failures before them. A burst therefore gets as many guesses as wait for the hash (21 a
 * node), and the next one waits longer. Counting before the hash would refuse a driver's own phones that sign in
 * together.
 */
export async function prove(deps: AuthDeps, claim: Claim, use: 'sign_in' | 'change'): Promise<Proof> {
  const { employee, password, origin } = claim;
  const now = deps.now();
  const [account, addressWaits] = await Promise.all([readAccount(deps.db, claim), origin.addressFailures.waitMs()]);
  // Failures from other phones do not slow down a phone that has signed in before.
  const wait = Math.max(account.ownWaitMs(now), account.isKnownDevice ? 0 : addressWaits);
  if (wait > 0) return { kind: 'slowed_down', waitMs: wait };

  const code = account.code && isCodeUsable(account.code, use, now) ? account.code : undefined;
  const by = await matchingHash(deps, password, { ...account, code });
  const { address } = origin;
  const device = account.isKnownDevice ? origin.device : '';
  if (!by || account.name === null || !account.active) {
    await Promise.all([
      countFailedAttempt(deps.db, { subject: employee, address, device }, now),
      origin.addressFailures.countFailure(),
    ]);
    return { kind: 'wrong_credentials' };
  }
  if (account.failures > 0) await deps.db.query(deleteFailures, [employee, address, device]);
  return { kind: 'proven', name: account.name, mustChange: account.mustChange, ...by };
}

/** The stored hash to check: the one-time password's if its mark fits, otherwise the password's. */
async function matchingHash(
  { passwords }: Pick<AuthDeps, 'passwords'>,
  password: string,
  { code, passwordHash }: Pick<Account, 'code' | 'passwordHash'>,
): Promise<{ readonly by: 'password' | 'code'; readonly hash: string } | undefined> {
  if (code?.mark === markOf(password) && (await passwords.matches(code.hash, password)))
    return { by: 'code', hash: code.hash };
  const fits = await passwords.matches(passwordHash, password);
  return fits && passwordHash !== undefined ? { by: 'password', hash: passwordHash } : undefined;
}

interface Account {
  readonly name: string | null;
  readonly active: boolean;
  readonly passwordHash: string | undefined;
  readonly mustChange: boolean;
  readonly code: StoredCode | undefined;
  readonly isKnownDevice: boolean;
  readonly failures: number;
  readonly ownWaitMs: (now: Date) => number;
}

interface AccountRow extends Record<string, unknown> {
  readonly name: string | null;
  readonly active: boolean | null;
  readonly password_hash: string | null;
  readonly must_change_password: boolean | null;
  readonly code_hash: string | null;
  readonly code_mark: number;
  readonly code_tries: number;
  readonly code_expires_at: Date;
  readonly code_used_at: Date | null;
  readonly is_known_device: boolean;
  readonly failures: number | null;
  readonly failed_at: Date;
}

async function readAccount(db: Queryable, { employee, origin }: Claim): Promise<Account> {
  const { rows } = await db.query<AccountRow>(findAccount, [employee, origin.address, origin.device]);
  const [row] = rows;
  if (!row) throw new Error('the statement findAccount always answers one row');
  const failures = row.failures ?? 0;
  return {
    name: row.name,
    active: row.active ?? false,
    passwordHash: row.password_hash ?? undefined,
    mustChange: row.must_change_password ?? false,
    code:
      row.code_hash === null
        ? undefined
        : {
            hash: row.code_hash,
            mark: row.code_mark,
            tries: row.code_tries,
            expiresAt: row.code_expires_at,
            usedAt: row.code_used_at,
          },
    isKnownDevice: row.is_known_device,
    failures,
    ownWaitMs: (now) => (failures === 0 ? 0 : waitMs({ failures, lastAt: row.failed_at }, now)),
  };
}
