import type { SignedIn } from '@tailgate/sync-protocol';
import { routeScope } from '@tailgate/sync-protocol';
import type { Tx } from '../db/types.ts';
import { findPendingRoute } from '../routes/queries.ts';
import type { AuthDeps } from './deps.ts';
import { endSessions } from './end-sessions.ts';
import { admitByCode, admitByPassword } from './proof-sql.ts';
import type { Claim, Proof } from './proof.ts';
import { prove } from './proof.ts';
import { maxTries, sessionState, expiryAfter } from './rules.ts';
import type { SessionRow } from './sessions.ts';
import { factsOf } from './sessions.ts';
import { recordSignIns } from './sign-in-state.ts';
import { findOtherSessions, insertSession, lockSignIns } from './sql.ts';
import { hashToken, newToken } from './tokens.ts';

export interface SignInRequest extends Claim {
  /** Whether to end the sessions of the other drivers of the route. */
  readonly confirm: boolean;
}

export type SignIn =
  | { readonly kind: 'signed_in'; readonly session: SignedIn; readonly evicted: readonly string[] }
  | { readonly kind: 'others_signed_in'; readonly drivers: readonly { readonly id: string; readonly name: string }[] }
  | Exclude<Proof, { kind: 'proven' }>;

/**
 * Opens a session beside the driver's other ones. Only a caller with the password sees who else is signed in.
 * That answer does not use up a one-time password.
 */
export async function signIn(deps: AuthDeps, request: SignInRequest): Promise<SignIn> {
  const { employee, origin } = request;
  const proof = await prove(deps, request, 'sign_in');
  if (proof.kind !== 'proven') return proof;

  return deps.inTransaction(async (tx) => {
    const now = deps.now();
    const others = await otherDrivers(tx, employee, now);
    if (others.length > 0 && !request.confirm) return { kind: 'others_signed_in', drivers: others };
    // The account comes before any session. All transactions lock them in this order, so that none deadlock.
    if (!(await admit(tx, employee, proof, now))) return { kind: 'wrong_credentials' };
    const evicted = others.map((driver) => driver.id);
    if (evicted.length > 0) await endSessions(tx, evicted, now, 'evicted');
    const token = newToken();
    await tx.query(insertSession, [hashToken(token), employee, origin.device, now, expiryAfter(now, now)]);
    await recordSignIns(tx, [employee, ...evicted], now);
    await deps.wakeReplication(tx);
    const must_change_password = proof.by === 'code' || proof.mustChange;
    const session = { employee_id: employee, name: proof.name, api_token: token, must_change_password };
    return { kind: 'signed_in', session, evicted };
  });
}

type ProvenPassword = Extract<Proof, { kind: 'proven' }>;

/** False where the password was changed, or the one-time password used up, since the proof. */
async function admit(tx: Tx, employee: string, { by, hash }: ProvenPassword, now: Date): Promise<boolean> {
  const { rowCount } =
    by === 'password'
      ? await tx.query(admitByPassword, [employee, now, hash])
      : await tx.query(admitByCode, [employee, now, hash, maxTries]);
  return rowCount === 1;
}

/** Other drivers of the same pending route with a valid token. Waits for a concurrent sign-in of that route. */
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

/** Class of these advisory locks; "sgin" in ASCII, against chance collisions. */
const signInLock = 0x7367696e;
