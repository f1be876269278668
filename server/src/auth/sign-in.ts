import type { SignedIn } from '@tailgate/sync-protocol';
import { routeScope } from '@tailgate/sync-protocol';
import type { Tx } from '../db/types.ts';
import { findPendingRoute } from '../routes/queries.ts';
import type { AuthDeps } from './deps.ts';
import { admitByCode, admitByPassword } from './proof-sql.ts';
import type { Claim, Proof } from './proof.ts';
import { prove } from './proof.ts';
import { mostTries, sessionState, slidesTo } from './rules.ts';
import type { SessionRow } from './sessions.ts';
import { factsOf } from './sessions.ts';
import { recordSignIns } from './sign-in-state.ts';
import { endSessions, findOtherSessions, insertSession, lockSignIns } from './sql.ts';
import { hashToken, newToken } from './tokens.ts';

export interface SignInRequest extends Claim {
  /** End the sessions of the other drivers of the route. */
  readonly confirm: boolean;
}

export type SignIn =
  | { readonly kind: 'signed_in'; readonly session: SignedIn; readonly evicted: readonly string[] }
  | { readonly kind: 'others_signed_in'; readonly drivers: readonly { readonly id: string; readonly name: string }[] }
  | Exclude<Proof, { kind: 'proven' }>;

/**
 * Opens a session beside those that the driver has. Who else is signed in is told only to somebody who knows the
 * password; a one-time password is not used up by that.
 */
export async function signIn(deps: AuthDeps, request: SignInRequest): Promise<SignIn> {
  const { employee, origin } = request;
  const proof = await prove(deps, request, 'sign_in');
  if (proof.kind !== 'proven') return proof;

  return deps.inTransaction(async (tx) => {
    const now = deps.now();
    const others = await otherDrivers(tx, employee, now);
    if (others.length > 0 && !request.confirm) return { kind: 'others_signed_in', drivers: others };
    // The account before any session: whoever changes both takes them in this order, so that nobody waits in a ring.
    if (!(await admit(tx, employee, proof, now))) return { kind: 'wrong_credentials' };
    const evicted = others.map((driver) => driver.id);
    if (evicted.length > 0) await tx.query(endSessions, [evicted, now, 'evicted']);
    const token = newToken();
    await tx.query(insertSession, [hashToken(token), employee, origin.device, now, slidesTo(now, now)]);
    await recordSignIns(tx, [employee, ...evicted], now);
    await deps.wakeHost(tx);
    const must_change_password = proof.by === 'code' || proof.mustChange;
    const session = { employee_id: employee, name: proof.name, api_token: token, must_change_password };
    return { kind: 'signed_in', session, evicted };
  });
}

type Proven = Extract<Proof, { kind: 'proven' }>;

/** False where the password was changed, or the one-time password used up, since it was proven. */
async function admit(tx: Tx, employee: string, { by, hash }: Proven, now: Date): Promise<boolean> {
  const { rowCount } =
    by === 'password'
      ? await tx.query(admitByPassword, [employee, now, hash])
      : await tx.query(admitByCode, [employee, now, hash, mostTries]);
  return rowCount === 1;
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
