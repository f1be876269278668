import type { RouteKey } from '@tailgate/sync-protocol';
import type { ServicePart } from '../host/files/tables.ts';

/** A moment as the host writes it, on the facility's clock. */
type HostClock = (instant: Date) => { readonly date: `${number}`; readonly time: `${number}` };

/** A registered driver, or one who was. */
export interface HostUser {
  readonly employee: string;
  readonly registeredAt: Date;
  readonly unregisteredAt: Date | null;
  /** Of the last sign-up, sign-in, sign-out or new password. */
  readonly lastSeenAt: Date | null;
  /** Whether the employee master says so; null where it does not know the employee. */
  readonly active: boolean | null;
  readonly moment: HostClock;
}

/** PODUSRP: who uses the driver service. Of passwords, tokens and one-time passwords nothing is ever on the host. */
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
    // Registered, and yet nobody gets in.
    PULCKF: unregisteredAt === null && active !== true ? 'Y' : 'N',
  };
}

/** Whether a driver of a route is signed in, and since when, or when last. */
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
