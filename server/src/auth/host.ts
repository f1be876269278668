import type { RouteKey } from '@tailgate/sync-protocol';
import type { ServicePart } from '../host/files/tables.ts';

/** A moment in the host's format, on the facility's clock. */
type HostClock = (instant: Date) => { readonly date: `${number}`; readonly time: `${number}` };

/** A present or former registered driver. */
export interface HostUser {
  readonly employee: string;
  readonly registeredAt: Date;
  readonly unregisteredAt: Date | null;
  /** The time of the last sign-up, sign-in, sign-out or new password. */
  readonly lastSeenAt: Date | null;
  /** Whether the employee master has the employee as active; null where it has no such employee. */
  readonly active: boolean | null;
  readonly moment: HostClock;
}

/** PODUSRP: the users of the driver service. The host never receives passwords, tokens or one-time passwords. */
export function userRow({
  employee,
  registeredAt,
  unregisteredAt,
  lastSeenAt,
  active,
  moment,
}: HostUser): ServicePart<'PODUSRP'> {
  const seen = lastSeenAt ? moment(lastSeenAt) : never;
  return {
    PUEMP: employee,
    PUREGF: unregisteredAt ? 'N' : 'Y',
    PURGDT: moment(registeredAt).date,
    PULSDT: seen.date,
    PULSTM: seen.time,
    // Registered, but unable to sign in.
    PULCKF: unregisteredAt === null && active !== true ? 'Y' : 'N',
  };
}

/** Whether a driver of a route is signed in, and since when, or the last time. */
export interface HostSignIn {
  readonly key: RouteKey;
  readonly employee: string;
  readonly signedIn: boolean;
  readonly signedInAt: Date;
  readonly moment: HostClock;
}

/** The service-owned columns of RTDRVP; the row itself is the host's. */
export function signInRow({ key, employee, signedIn, signedInAt, moment }: HostSignIn): ServicePart<'RTDRVP'> {
  const since = moment(signedInAt);
  return {
    RDFAC: key.facility,
    RDRTE: key.id,
    RDWKE: `${Number(key.week_end)}`,
    RDEMP: employee,
    RDSGNF: signedIn ? 'Y' : 'N',
    RDSGDT: since.date,
    RDSGTM: since.time,
  };
}

const never = { date: '0', time: '0' } as const;
