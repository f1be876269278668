import type { SignedIn } from '@tailgate/sync-protocol';
import { routeScope } from '@tailgate/sync-protocol';
import type { Queryable, Tx } from '../db/types.ts';
import { findPendingRoute } from '../routes/queries.ts';
import type { Passwords } from './passwords.ts';
import { sessionState, slidesTo } from './rules.ts';
import type { SessionRow } from './sessions.ts';
import { factsOf } from './sessions.ts';
import { endSessions, findAccount, findOtherSessions, insertAccount, insertSession, lockSignIns } from './sql.ts';
import { hashToken, newToken } from './tokens.ts';

export interface SignInGround {
  readonly db: Queryable;
  readonly inTransaction: <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;
  readonly passwords: Passwords;
  readonly now: () => Date;
}

interface AccountRow {
  readonly name: string | null;
  readonly active: boolean | null;
  readonly password_hash: string | null;
  readonly must_change_password: boolean | null;
}

export type SignUp =
  | { readonly kind: 'signed_up'; readonly name: string; readonly token: string }
  | { readonly kind: 'no_such_employee' }
  | { readonly kind: 'already_registered' };

/** Registers an employee of the master. Nobody is signed out by it (contract §2). */
export async function signUp(ground: SignInGround, employee: string, password: string): Promise<SignUp> {
  const account = await readAccount(ground.db, employee);
  if (account.name === null || !account.active) return { kind: 'no_such_employee' };
  if (account.password_hash !== null) return { kind: 'already_registered' };
  const passwordHash = await ground.passwords.hash(password);
  const [token, now] = [newToken(), ground.now()];
  const values = [employee, passwordHash, hashToken(token), now, slidesTo(now, now)];
  const { rowCount } = await ground.db.query(insertAccount, values);
  return rowCount ? { kind: 'signed_up', name: account.name, token } : { kind: 'already_registered' };
}

export interface SignInRequest {
  readonly employee: string;
  readonly password: string;
  /** End the sessions of the other drivers of the route. */
  readonly confirm: boolean;
  readonly device: string;
}

export type SignIn =
  | { readonly kind: 'signed_in'; readonly session: SignedIn; readonly evicted: readonly string[] }
  | { readonly kind: 'wrong_credentials' }
  | { readonly kind: 'others_signed_in'; readonly drivers: readonly { readonly id: string; readonly name: string }[] };

/**
 * Opens a session beside those that the driver has. An unknown id, a wrong password and an employee who left run the
 * same statement and the same hash; who else is signed in is told only to somebody who knows the password.
 */
export async function signIn(ground: SignInGround, request: SignInRequest): Promise<SignIn> {
  const account = await readAccount(ground.db, request.employee);
  const fits = await ground.passwords.matches(account.password_hash ?? undefined, request.password);
  const { name } = account;
  if (!fits || name === null || !account.active) return { kind: 'wrong_credentials' };

  return ground.inTransaction(async (tx) => {
    const now = ground.now();
    const others = await otherDrivers(tx, request.employee, now);
    if (others.length > 0 && !request.confirm) return { kind: 'others_signed_in', drivers: others };
    const evicted = others.map((driver) => driver.id);
    if (evicted.length > 0) await tx.query(endSessions, [evicted, now, 'evicted']);
    const token = newToken();
    await tx.query(insertSession, [hashToken(token), request.employee, request.device, now, slidesTo(now, now)]);
    const must_change_password = account.must_change_password ?? false;
    return {
      kind: 'signed_in',
      session: { employee_id: request.employee, name, api_token: token, must_change_password },
      evicted,
    };
  });
}

/** Other drivers of the same pending route who hold a token that counts. Waits for a sign-in of that route under way. */
async function otherDrivers(tx: Tx, employee: string, now: Date): Promise<{ id: string; name: string }[]> {
  const route = await findPendingRoute(tx, employee);
  if (!route) return [];
  await tx.query(lockSignIns, [signInLock, routeScope(route)]);
  const { rows } = await tx.query<SessionRow & { name: string }>(findOtherSessions, [
    route.facility,
    route.id,
    route.week_end,
    employee,
  ]);
  const names = new Map<string, string>();
  for (const row of rows) if (sessionState(factsOf(row), now).kind === 'live') names.set(row.employee, row.name);
  return [...names].map(([id, name]) => ({ id, name }));
}

/** Class of our advisory locks; "sgin" in ASCII, so that nobody else's numbers meet ours by chance. */
const signInLock = 0x7367696e;

async function readAccount(db: Queryable, employee: string): Promise<AccountRow> {
  const { rows } = await db.query<AccountRow>(findAccount, [employee]);
  const [row] = rows;
  if (!row) throw new Error('the statement findAccount always answers one row');
  return row;
}
