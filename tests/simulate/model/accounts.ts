import type { Evidence, Row } from './evidence.ts';
import { FACILITY_BEHIND_MS, routeOf } from './fixture.ts';

/** In some worlds drivers sign up, in and out through the product. The others begin with sessions. */
export const hasAccounts = (seed: number): boolean => seed % 4 === 0;

/** The product's answers to a driver's sign-ups, sign-ins and sign-outs. Times are the world's. */
export interface Account {
  readonly registeredAt: number;
  lastSeenAt: number;
  signedInAt: number;
  isSignedIn: boolean;
}

/** The rows of users and of who is signed in (docs/host-files.md, PODUSRP and RTDRVP). */
export async function wrongAccounts({ host, seed, accounts }: Evidence): Promise<string[]> {
  const wrong: string[] = [];
  for (const [employee, { registeredAt, lastSeenAt, signedInAt, isSignedIn }] of accounts) {
    const user = await host.query('select * from PODDTA.PODUSRP where PUEMP = ?', [employee]);
    const driver = await host.query('select * from PODDTA.RTDRVP where RDRTE = ? and RDEMP = ?', [
      routeOf(seed).id,
      employee,
    ]);
    const [seen, signedIn] = [onHostClock(lastSeenAt), onHostClock(signedInAt)];
    const expected = {
      ...{ PUREGF: 'Y', PURGDT: onHostClock(registeredAt).date, PULSDT: seen.date, PULSTM: seen.time, PULCKF: 'N' },
      ...{ RDSGNF: isSignedIn ? 'Y' : 'N', RDSGDT: signedIn.date, RDSGTM: signedIn.time, RDTYP: 'DRIVER' },
    };
    const shown: Row = { ...user[0], ...driver[0] };
    for (const [column, value] of Object.entries(expected))
      if (shown[column] !== value)
        wrong.push(`${employee} has ${column} ${String(shown[column])} on the host, not ${value}`);
  }
  return wrong;
}

/** Dates YYYYMMDD and times HHMMSS of the facility; the host cuts to seconds. */
function onHostClock(at: number): { readonly date: string; readonly time: string } {
  const digits = new Date(at - FACILITY_BEHIND_MS).toISOString().replaceAll(/\D/g, '');
  return { date: digits.slice(0, 8), time: String(Number(digits.slice(8, 14))) };
}
